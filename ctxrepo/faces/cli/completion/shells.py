"""The completion scripts of bash, zsh and fish: each asks `_complete` and shows what it answers.

An answer is one candidate a line, with a tab before what it means; `:files` stands for names of files.
"""

from __future__ import annotations

import shlex

BASH = """\
_ctxrepo() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
        else
            COMPREPLY+=("$line")
        fi
    done < <(ASK bash "$COMP_WORDBREAKS" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
}
complete -F _ctxrepo ctxrepo
"""

ZSH = """\
#compdef ctxrepo
_ctxrepo() {
    local line
    local -a values shown
    for line in "${(@f)$(ASK zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            _files
            return
        elif [[ -n $line ]]; then
            values+=("${line%%$'\\t'*}")
            shown+=("${line/$'\\t'/  -- }")
        fi
    done
    if [[ "${shown[*]}" == *' -- '* ]]; then
        compadd -l -d shown -a values
    else
        compadd -a values
    fi
}
if [[ $funcstack[1] == _ctxrepo ]]; then
    _ctxrepo
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef _ctxrepo ctxrepo
fi
"""

FISH = """\
function __ctxrepo_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in (ASK fish $words[2..-1] "$last" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$last"
        else
            printf '%s\\n' "$line"
        end
    end
end
complete -c ctxrepo -f -a '(__ctxrepo_complete)'
"""

SCRIPTS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def script(shell: str, interpreter: str) -> str:
    """The script for a shell; `interpreter` is asked by its absolute path, and imports nothing from where
    the person stands."""
    ask = shlex.join([interpreter, "-P", "-m", "ctxrepo", "_complete"])
    return SCRIPTS[shell].replace("ASK", ask, 1)
