#compdef ctxrepo
_ctxrepo() {
    local line
    local -a values shown
    for line in "${(@f)$(ASK zsh "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            _files
            return
        elif [[ -n $line ]]; then
            values+=("${line%%$'\t'*}")
            shown+=("${line/$'\t'/  -- }")
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
