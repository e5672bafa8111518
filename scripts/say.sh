# SPDX-License-Identifier: Apache-2.0
# How the front door speaks: one line when a step starts, its duration at the end, one line on failure.

Say() { printf '%s\n' "$*" >&2; }

Die() {
  Say "${kProgram:-dev}: $*"
  exit 1
}

# Seconds a step took, as "4 s" or "3 min 12 s".
Spent() {
  local seconds=$1
  if ((seconds < 60)); then
    echo "$seconds s"
  else
    echo "$((seconds / 60)) min $((seconds % 60)) s"
  fi
}

# Step "what" command...: runs the command with its output in the log and says how long it took.
Step() {
  local what=$1 start=$SECONDS
  shift
  printf '==> %s ... ' "$what" >&2
  if "$@" </dev/null >>"$LOG" 2>&1; then
    Say "$(Spent $((SECONDS - start)))"
  else
    Say failed
    return 1
  fi
}

# The last line of the log that looks like the reason, without a tool's own decoration.
Reason() {
  local line
  if grep -qaE '(name resolution|Could not resolve|NewConnectionError|unreachable|EAI_AGAIN|ENOTFOUND)' "$LOG"; then
    echo "the network cannot be reached"
    return
  fi
  line=$(grep -aE '(^E: |^Err|ERROR|[Ee]rror:|npm error|No space left)' "$LOG" | tail -n 1)
  [ -n "$line" ] || line=$(tail -n 1 "$LOG")
  printf '%s' "$line" | tr -s ' ' | cut -c1-300
}
