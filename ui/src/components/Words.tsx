/** Words of the server: what stands between backticks is a command or a name, and is set as one. */
export function Words({ children }: { children: string }) {
  const parts = children.split("`");
  if (parts.length % 2 === 0) return children;
  return parts.map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence, in their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );
}
