# What a Terminal-Bench harness reads in the output of a task's run-tests.sh, beside lib.sh, whose words it uses.
# The harness's own rules are those of references/terminal-bench-mapping.md; where ours are stricter, it stands there.

# printed COMMAND...: as candidate, with the output kept for a parser.
printed() {
  candidate "$@" >"$PRIVATE/output" 2>&1
  cat "$PRIVATE/output"
}

# judge_output PARSER [NOTE]: a pass is the parser's, and that of a script that was not killed.
judge_output() {
  NOTE=${2:+ ($2)}
  [ -z "$TIMED_OUT" ] || fail "the candidate ran out of time"
  mapfile -t -n 1000001 LINES <"$PRIVATE/output" 2>/dev/null
  [ "${#LINES[@]}" -le 1000000 ] || broken "more than a million lines were printed"
  AT=0
  "read_$1"
}
passed() { [ "$STATUS" -lt 128 ] || fail "$1, but the script was killed (status $STATUS)"; pass "$1$NOTE"; }
broken() { fail "$1$NOTE"; }

# no_result WHY: the parser found nothing. It is the candidate's doing where nothing else can break the script off.
no_result() {
  [ -z "$OFFLINE" ] || [ "$STATUS" = 0 ] || fail "$1: the script broke off on what the candidate left (status $STATUS)"
  infra "$1: the source's harness books no result (status $STATUS)"
}

# read_pytest: every line after the first summary header that starts with a status counts, whoever printed it.
read_pytest() {
  local line found= good=0 bad=0 first= names=
  while next_line; do
    if [ -z "$found" ]; then
      [[ $line = *=*[iI][nN][fF][oO]*=* ]] || continue
      [[ ${line,,} =~ =[[:space:]]*"short test summary info"[[:space:]]*=+(.*)$ ]] || continue
      found=1 line=${line:${#line}-${#BASH_REMATCH[1]}}
    fi
    [[ $line = *@(PASSED|XFAIL|SKIPPED|FAILED|XPASS|ERROR)* ]] || continue
    status_of "$line"
    case $WORD in
      PASSED) good=$((good + 1)) names+=$NAME ;;
      XFAIL | SKIPPED) good=$((good + 1)) ;;
      FAILED | XPASS | ERROR) bad=$((bad + 1)) first=${first:-$line} ;;
    esac
  done
  [ -n "$found" ] || no_result "the output has no short test summary"
  [ "$bad" = 0 ] || broken "$bad of $((good + bad)) tests failed, the first: ${first:0:160}"
  [ "$good" -gt 0 ] || no_result "the short test summary names no test"
  really_ran "$names"
  passed "$good tests passed"
}

# really_ran NAMES: where the guard is loaded into pytest, it was told of each test that the summary calls by its id.
really_ran() {
  local seen= name
  [ -n "$1" ] && [ -e "$TESTS/.verdict/verdict_guard.py" ] || return 0
  is_plain "$PRIVATE/ran" && IFS= read -r -N 4194304 seen <"$PRIVATE/ran"
  while IFS= read -r name; do
    [[ $'\n'$seen = *$'\n'"passed $name"$'\n'* ]] || broken "the summary says that $name passed, and nothing shows it"
  done <<<"${1%$'\n'}"
}

# status_of LINE: WORD is its first word, where a test's name follows; empty for any other line. NAME is what stands
# after the file in pytest's id of a test, without parameters, on a line of its own.
status_of() {
  local line=$1 name
  WORD= NAME=
  [[ $line != FAILED* || $line != *" - "* ]] || line=${line% - *}
  [[ $line =~ ^[[:space:]]*:*(PASSED|XFAIL|SKIPPED|FAILED|XPASS|ERROR):*[[:space:]]+([^[:space:]].*)$ ]] || return 0
  name=${BASH_REMATCH[2]}
  [[ $name = *::* && -z ${name#*::} ]] || WORD=${BASH_REMATCH[1]}
  [[ $name != *.py::* ]] || { name=${name#*::} NAME=${name%%[*}$'\n'; }
}

# next_line: the next of LINES without colours and carriage return; fails at the end. Output that cannot be read before the
# verifier's own time is over is the candidate's failure.
next_line() {
  ((AT < ${#LINES[@]})) || return 1
  line=${LINES[AT]} AT=$((AT + 1))
  ((SECONDS + 1 < ${LIMIT:-SECONDS + 2})) || broken "more was printed than can be read in time"
  line=${line%$'\r'}
  [[ $line = *$'\e'* ]] || return 0
  while [[ $line =~ $'\e['[0-9\;?]*[A-Za-z] ]]; do line=${line/"${BASH_REMATCH[0]}"/}; done
}

read_swebench() { read_marked "SWEBench results" needed PASSED; }
read_sweperf() { read_marked "SWE-Perf results" needed PASSED; }
read_mlebench() { read_marked "MLEBench results" optional "ALL TESTS PASSED"; }

# read_marked NAME NEEDED WORD: what stands between the first start mark and the last end mark is WORD and no more.
read_marked() {
  local line text= kept= started= ended=
  while next_line; do
    [[ $line != *"$1 ends here"* ]] || ended=1
    if [ -z "$started" ] && [[ $line = *"$1 starts here"* ]]; then
      started=1 text= kept= line=${line#*"$1 starts here"}
    fi
    [[ $line != *"$1 ends here"* ]] || kept="${text}${line%"$1 ends here"*}."
    [ "${#text}" -gt 4096 ] || text+=$line$'\n'
  done
  if [ "$2" = needed ] && { [ -z "$started" ] || [ -z "$ended" ]; }; then no_result "the output has no $1"; fi
  strip "${kept:+${kept%.}}"; [ -n "$kept" ] || strip "$text"
  [ "$STRIPPED" = "$3" ] && passed "the source's tests say $3"
  broken "the source's tests do not say $3"
}

# read_swelancer: a failure counts, whatever else is said; the harness looks for a success first.
read_swelancer() {
  local line good= bad= tool= done=
  while next_line; do
    line=${line,,}
    [[ $line != *"swe lancer success"* ]] || good=1
    [[ $line != *"swe lancer failure"* ]] || bad=1
    [[ $line != *user_tool* ]] || tool=1
    [[ $line != *completed* ]] || done=1
  done
  [ -z "$bad" ] || broken "the source's tests say failure"
  [ -z "$good" ] || passed "the source's tests say success"
  [ -z "$tool" ] || [ -z "$done" ] || passed "the user tool completed"
  broken "the source's tests say no success"
}
