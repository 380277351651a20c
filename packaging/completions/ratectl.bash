# bash completion for ratectl, printed by 'ratectl completion bash'.
_ratectl_budgets() {
    ratectl list --color never 2>/dev/null | sed -n 's|^\([^ /]*\)/.*|\1|p' | sort -u
}

_ratectl_profiles() {
    ratectl profile list --color never 2>/dev/null | sed -n 's|^\([a-z0-9-]*\)  *[0-9-]\{10\}  .*|\1|p'
}

_ratectl() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' options='--json --color --help --version' words='' at
    COMPREPLY=()
    for ((at = 1; at < COMP_CWORD; at++)); do
        case ${COMP_WORDS[at]} in
            --) COMPREPLY=($(compgen -c -f -- "$word")); return ;;
            --color) ((at++)) ;;
            -*) ;;
            *) [[ -z $command ]] && command=${COMP_WORDS[at]} ;;
        esac
    done
    case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$word")); return ;;
        --sort) COMPREPLY=($(compgen -W 'permits units waiting refused age label pid' -- "$word")); return ;;
        --kind) COMPREPLY=($(compgen -W 'manual cooldown ban' -- "$word")); return ;;
        --lane) COMPREPLY=($(compgen -W 'normal critical' -- "$word")); return ;;
        --intent) COMPREPLY=($(compgen -W 'read open close' -- "$word")); return ;;
        --scenario) COMPREPLY=($(compgen -W 'herd layers' -- "$word")); return ;;
        --backoff) COMPREPLY=($(compgen -W 'none full equal decorrelated' -- "$word")); return ;;
        --interval|--filter|--count|--last|-n|--profile|--limit|--clients|--reservations|--limits|--keys|--group|--for|--until|--key|--reason|--operation|--argument|--timeout|--workers|--service-time|--calls|--cost|--base|--cap|--seed|--runs|--layers|--retries|--status|--header|--body|--at) return ;;
    esac
    case $command in
        '') words='list show top clients journal create set pause resume reset halt unhalt acquire exec simulate profile explain doctor reload destroy completion help' ;;
        list) options='--json --color --help --version' ;;
        show) options='--json --color --help --version' words="$(_ratectl_budgets)" ;;
        top) options='--interval --sort --filter --once --count --json --color --help --version' words="$(_ratectl_budgets)" ;;
        clients) options='--json --color --help --version' words="$(_ratectl_budgets)" ;;
        journal) options='--last --follow --json --color --help --version' words="$(_ratectl_budgets)" ;;
        create) options='--profile --limit --full --shadow --clients --reservations --limits --keys --group --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        set) options='--limit --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        pause) options='--for --until --kind --key --reason --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        resume) options='--cooldown --ban --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        reset) options='--ignore-ban --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        halt) options='--all --reason --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        unhalt) options='--all --reason --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        acquire) options='--operation --argument --profile --key --timeout --lane --intent --json --color --help --version' words="$(_ratectl_budgets)" ;;
        exec) options='--operation --argument --profile --key --timeout --lane --intent --json --color --help --version' words="$(_ratectl_budgets)" ;;
        simulate) options='--table --scenario --workers --limit --service-time --calls --cost --backoff --base --cap --seed --runs --layers --retries --json --color --help --version' ;;
        profile) options='--json --color --help --version' words="list show check import $(_ratectl_profiles)" ;;
        explain) options='--status --header --body --at --operation --json --color --help --version' words="$(_ratectl_profiles)" ;;
        doctor) options='--sweep --json --color --help --version' words="$(_ratectl_budgets)" ;;
        reload) options='--dry-run --json --color --help --version' ;;
        destroy) options='--in-use --unusable --dry-run --json --color --help --version' words="$(_ratectl_budgets)" ;;
        completion) options='--json --color --help --version' words="bash zsh fish" ;;
        help) options='--json --color --help --version' words="list show top clients journal create set pause resume reset halt unhalt acquire exec simulate profile explain doctor reload destroy completion help exit-codes limits costs durations environment states" ;;
    esac
    [[ $word == -* ]] && words=$options
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -F _ratectl ratectl
