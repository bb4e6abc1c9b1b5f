/** What opens over a page gives the focus back, on closing, to what it was opened from. */
import { useEffect, useState } from "react";

export function useFocusBack() {
  const [opener] = useState(() => openerOf(document.activeElement));
  useEffect(
    () => () => {
      const lost = document.activeElement === null || document.activeElement === document.body;
      if (lost && opener?.isConnected) opener.focus({ preventScroll: true });
    },
    [opener],
  );
}

/** A menu is gone by then: what counts is the button that opened it. */
function openerOf(active: Element | null): HTMLElement | undefined {
  const menu = active?.closest("[role=menu]");
  const found = menu ? document.querySelector(`[aria-controls="${menu.id}"]`) : active;
  return found instanceof HTMLElement && found !== document.body ? found : undefined;
}
