/** The colour scheme, kept under the key that `public/boot.js` reads before the first paint. */
import { localStorageColorSchemeManager, useMantineColorScheme } from "@mantine/core";

export const schemeManager = localStorageColorSchemeManager({ key: "argosy.theme" });

export const schemes = [
  { value: "auto", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
] as const;

export function useScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  function next() {
    const at = schemes.findIndex((scheme) => scheme.value === colorScheme);
    const following = schemes[(at + 1) % schemes.length] ?? schemes[0];
    setColorScheme(following.value);
    return following.label;
  }
  return { scheme: colorScheme, setScheme: setColorScheme, next };
}
