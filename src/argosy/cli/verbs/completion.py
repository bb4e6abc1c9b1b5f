"""`argosy completion bash|zsh|fish`: a script that asks `argosy __complete` for the words that can follow."""

from __future__ import annotations

import argparse
import sys

from argosy.kit.arguments import Parser

EXAMPLES = (
    "completion bash > ~/.local/share/bash-completion/completions/argosy",
    "completion zsh > ~/.zfunc/_argosy",
    "completion fish > ~/.config/fish/completions/argosy.fish",
)
_BASH = """\
_argosy() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(argosy __complete "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)" -- "${COMP_WORDS[COMP_CWORD]#=}"))
}
complete -o default -F _argosy argosy
"""
_ZSH = """\
#compdef argosy
_argosy() {
  local -a words_that_follow
  words_that_follow=("${(@f)$(argosy __complete "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  if [[ -n $words_that_follow ]]; then compadd -a words_that_follow; else _files; fi
}
if [[ $funcstack[1] == _argosy ]]; then _argosy "$@"; else compdef _argosy argosy; fi
"""
_FISH = """\
function __argosy_words
    argosy __complete (commandline -opc)[2..-1] 2>/dev/null
end
complete -c argosy -n '__fish_seen_subcommand_from backup restore' -F
complete -c argosy -n 'not __fish_seen_subcommand_from backup restore' -f
complete -c argosy -a '(__argosy_words)'
"""


def add(parser: Parser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(asked: argparse.Namespace) -> None:
    sys.stdout.write({"bash": _BASH, "zsh": _ZSH, "fish": _FISH}[asked.shell])
