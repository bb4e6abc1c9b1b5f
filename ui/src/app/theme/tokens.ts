/**
 * Every colour, size and font of the product, in one place. `theme/stylesheet.ts` turns this into CSS variables at
 * build time (`virtual:tokens.css`) and `theme/mantine.ts` gives the same values to the components. Pages use the
 * variables and never a literal colour.
 */

type Ramp = readonly [string, string, string, string, string, string, string, string, string, string];

/** The accent: deep sea. 7 fills in light, 6 in dark; both carry white text at 4.5:1 or more. */
export const sea: Ramp = [
  "#eaf6f8",
  "#cfeaef",
  "#a2d8e1",
  "#6cc3d1",
  "#41abbd",
  "#1f90a4",
  "#107a8e",
  "#0a6577",
  "#084f5e",
  "#063a46",
];

export const gray: Ramp = [
  "#f6f8f9",
  "#eef1f3",
  "#e3e8ea",
  "#d3dadd",
  "#b5bfc5",
  "#84929a",
  "#56656f",
  "#3f4b54",
  "#28333b",
  "#14202a",
];

export const dark: Ramp = [
  "#e3e9ec",
  "#b9c4ca",
  "#94a2ab",
  "#6a7983",
  "#36434c",
  "#28333b",
  "#1a2329",
  "#11181c",
  "#0c1215",
  "#080c0f",
];

export const red: Ramp = [
  "#fdf0ef",
  "#fadbd9",
  "#f4b8b4",
  "#ec8f89",
  "#e46a63",
  "#d94c44",
  "#c8352e",
  "#ad2a24",
  "#8c221d",
  "#6b1a16",
];

export const fonts = {
  sans: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', sans-serif",
  mono: "'JetBrains Mono Variable', ui-monospace, 'SF Mono', Menlo, monospace",
};

/** Steps of the 8-point grid, with its half. */
export const space = { half: 4, 1: 8, 2: 16, 3: 24, 4: 32, 5: 40, 6: 48, 8: 64 };

export const text = {
  caption: ["12px", "16px"],
  body: ["13px", "20px"],
  lead: ["14px", "22px"],
  section: ["15px", "24px"],
  title: ["20px", "28px"],
  display: ["26px", "32px"],
} as const;

export const radius = { small: "4px", medium: "6px", large: "10px" };

/** What a colour is for, in light and in dark. */
export const roles = {
  light: {
    page: "#ffffff",
    rail: gray[0],
    raised: "#ffffff",
    sunken: gray[0],
    hover: "#f1f4f5",
    selected: "#e8f3f6",
    line: gray[2],
    "line-strong": gray[3],
    text: gray[9],
    "text-soft": gray[7],
    "text-dim": gray[6],
    accent: sea[7],
    "accent-soft": sea[0],
    focus: sea[6],
    ok: "#17784a",
    "ok-soft": "#e6f4ec",
    warn: "#8a5a00",
    "warn-soft": "#fdf3dc",
    bad: "#b42a23",
    "bad-soft": "#fdeeed",
    added: "#dff3e6",
    removed: "#fde4e2",
    shadow: "0 8px 28px rgba(15, 32, 42, 0.14), 0 1px 3px rgba(15, 32, 42, 0.1)",
  },
  dark: {
    page: dark[7],
    rail: dark[8],
    raised: "#161e23",
    sunken: "#0e1518",
    hover: "#182126",
    selected: "#11292f",
    line: "#222d34",
    "line-strong": dark[4],
    text: dark[0],
    "text-soft": dark[1],
    "text-dim": dark[2],
    accent: "#5bc0d0",
    "accent-soft": "#0f2c33",
    focus: sea[4],
    ok: "#4fc58c",
    "ok-soft": "#10291e",
    warn: "#e3b04b",
    "warn-soft": "#2c2410",
    bad: "#ff8078",
    "bad-soft": "#331817",
    added: "#123424",
    removed: "#44201e",
    shadow: "0 12px 36px rgba(0, 0, 0, 0.55), 0 0 0 1px rgba(255, 255, 255, 0.04)",
  },
} as const;
