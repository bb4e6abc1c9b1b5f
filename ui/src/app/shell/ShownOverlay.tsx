/** The palette and the list of shortcuts over whatever page is open. Their code comes once the page is idle, or when asked for. */
import { type ComponentType, lazy, Suspense, useEffect, useState } from "react";
import { useOverlay } from "./overlays";

/** Shows at once what has been loaded already: React alone would hold back even that, for 300 ms after a first gap. */
function soon(load: () => Promise<{ default: ComponentType }>) {
  let loaded: ComponentType | undefined;
  const loading = () =>
    load().then((module) => {
      loaded = module.default;
      return module;
    });
  const Late = lazy(loading);
  function Overlay() {
    const [Shown] = useState(() => loaded ?? Late);
    return <Shown />;
  }
  return { Overlay, loading };
}

const palette = soon(() => import("../palette/Palette"));
const shortcuts = soon(() => import("../keyboard/ShortcutsHelp"));

export function ShownOverlay() {
  const overlay = useOverlay();
  useEffect(() => whenIdle(() => void palette.loading()), []);
  return (
    <Suspense>
      {overlay === "palette" && <palette.Overlay />}
      {overlay === "shortcuts" && <shortcuts.Overlay />}
    </Suspense>
  );
}

/** Once the page has nothing better to do; a wish that comes earlier loads the same. Answers how to call it off. */
function whenIdle(work: () => void): () => void {
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(work, 2000);
    return () => clearTimeout(timer);
  }
  const handle = window.requestIdleCallback(work, { timeout: 5000 });
  return () => window.cancelIdleCallback(handle);
}
