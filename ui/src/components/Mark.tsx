/** The mark: a merchant ship under two sails. Drawn with the text colour's accent; decorative beside the name. */
export function Mark({ size = 24 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="6" fill="var(--mantine-color-sea-7)" />
      <path d="M11 4.5v9.2H5.4C6.2 9.7 8 6.4 11 4.5Z" fill="#fff" />
      <path d="M12.8 7c2.7 1.5 4.6 3.8 5.4 6.7h-5.4Z" fill="#fff" opacity=".75" />
      <path d="M4.5 15.6h15c-.9 2.4-2.8 3.9-5.4 3.9H9.9c-2.6 0-4.5-1.5-5.4-3.9Z" fill="#fff" />
    </svg>
  );
}
