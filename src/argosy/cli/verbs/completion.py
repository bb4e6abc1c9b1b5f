"""`argosy completion bash|zsh|fish`: a script that asks `argosy __complete` for the words that can follow."""

from __future__ import annotations

import argparse
import sys

_BASH = """\
_argosy() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(argosy __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _argosy argosy
"""
_ZSH = """\
#compdef argosy
_argosy() {
  local -a words_that_follow
  words_that_follow=("${(@f)$(argosy __complete "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  compadd -a words_that_follow
}
compdef _argosy argosy
"""
_FISH = """\
complete -c argosy -f -a '(argosy __complete (commandline -opc)[2..-1] 2>/dev/null)'
"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(asked: argparse.Namespace) -> None:
    sys.stdout.write({"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[asked.shell])
