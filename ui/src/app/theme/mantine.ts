/** The tokens as Mantine's theme, with the defaults that make its components dense. Used by `App` and `stylesheet`. */
import { createTheme } from "@mantine/core";
import { dark, fonts, gray, radius, red, sea } from "./tokens.ts";

export const theme = createTheme({
  colors: { sea, gray, dark, red },
  primaryColor: "sea",
  primaryShade: { light: 7, dark: 6 },
  black: gray[9],
  fontFamily: fonts.sans,
  fontFamilyMonospace: fonts.mono,
  fontSizes: { xs: "12px", sm: "13px", md: "14px", lg: "15px", xl: "20px" },
  lineHeights: { xs: "16px", sm: "20px", md: "22px", lg: "24px", xl: "28px" },
  spacing: { xs: "8px", sm: "12px", md: "16px", lg: "24px", xl: "32px" },
  radius: { xs: "3px", sm: radius.small, md: radius.medium, lg: radius.large, xl: "16px" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  focusRing: "auto",
  components: {
    // The strict CSP forbids injected <style>; the page itself never scrolls, so nothing needs a lock.
    ModalRoot: { defaultProps: { lockScroll: false, transitionProps: { duration: 120 } } },
    DrawerRoot: { defaultProps: { lockScroll: false, transitionProps: { duration: 140 } } },
    SegmentedControl: { defaultProps: { radius: "lg" } },
    Modal: { defaultProps: { lockScroll: false, transitionProps: { duration: 120 }, centered: false } },
    Drawer: { defaultProps: { lockScroll: false, position: "right", transitionProps: { duration: 140 } } },
    Button: { defaultProps: { size: "xs" } },
    TextInput: { defaultProps: { size: "sm" } },
    PasswordInput: { defaultProps: { size: "sm" } },
    Select: { defaultProps: { size: "sm", withScrollArea: false, checkIconPosition: "right" } },
    MultiSelect: { defaultProps: { size: "sm", withScrollArea: false } },
    TagsInput: { defaultProps: { size: "sm" } },
    Checkbox: { defaultProps: { size: "xs" } },
    Switch: { defaultProps: { size: "sm" } },
    Radio: { defaultProps: { size: "xs" } },
    Menu: {
      defaultProps: { withInitialFocusPlaceholder: false, transitionProps: { duration: 80 }, radius: "md" },
    },
    Tooltip: { defaultProps: { openDelay: 350, fz: 12, transitionProps: { duration: 80 } } },
  },
});
