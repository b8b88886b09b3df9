function __ctxrepo_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    for line in (ASK fish $words[2..-1] "$last" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$last"
        else
            printf '%s\n' "$line"
        end
    end
end
complete -c ctxrepo -f -a '(__ctxrepo_complete)'
