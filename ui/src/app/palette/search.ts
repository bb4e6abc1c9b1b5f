/** How well a name answers what was typed: every word must be found, starts count more than middles. Pure. */

import { groupedBy } from "@/components/groupedBy";

export interface Command {
  id: string;
  title: string;
  group: string;
  /** Other words by which it may be looked for. */
  also?: string;
  keys?: string;
  run: () => void;
}

export function ranked(commands: readonly Command[], typed: string, most = 12): Command[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return commands.slice(0, most);
  return commands
    .map((command, index) => ({ command, index, score: scoreOf(command, words) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, most)
    .map(({ command }) => command);
}

/** Each group under one heading, in the order in which its best command comes. */
export function together(commands: readonly Command[]): Command[] {
  return [...groupedBy(commands, ({ group }) => group).values()].flat();
}

function scoreOf(command: Command, words: readonly string[]): number {
  const title = command.title.toLowerCase();
  const also = `${command.also ?? ""} ${command.group}`.toLowerCase();
  let score = 0;
  for (const word of words) {
    const found = wordScore(title, word) || wordScore(also, word) / 4;
    if (found === 0) return 0;
    score += found;
  }
  return score;
}

function wordScore(text: string, word: string): number {
  if (text.startsWith(word)) return 8;
  if (text.includes(` ${word}`)) return 5;
  if (text.includes(word)) return 3;
  return word.length > 2 && isShortFor(word, text) ? 1 : 0;
}

/** "svcacc" is short for "service accounts": the letters in order, from the start of a word, close together. */
function isShortFor(letters: string, text: string): boolean {
  return [...text.matchAll(/\b\w/g)].some(({ index }) =>
    isSubsequence(letters, text.slice(index, index + 2 * letters.length)),
  );
}

function isSubsequence(letters: string, text: string): boolean {
  if (letters[0] !== text[0]) return false;
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
