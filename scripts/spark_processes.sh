# SPDX-License-Identifier: Apache-2.0
# Which processes belong to a server: those of its session, and all that carry its state folder in
# their environment, such as workers which left the session.

# Idle SECONDS: waits without starting a process, so that signals are heard at once. What a trap does
# meanwhile may be cut off by its alarm: traps only set variables.
Idle() {
  [ -n "${idle_fd:-}" ] || exec {idle_fd}<> <(:)
  read -r -t "$1" -u "$idle_fd" || true
}

# The state folders of the servers that run, each once.
States() {
  local pid entries entry
  for pid in /proc/[0-9]*; do
    entries=()
    { mapfile -d '' entries <"$pid/environ"; } 2>/dev/null || continue
    for entry in "${entries[@]}"; do
      [[ $entry != PROTIUM_SPARK_STATE=* ]] || echo "${entry#*=}"
    done
  done | sort -u
}

Carries() {
  local entries=() entry
  { mapfile -d '' entries <"/proc/$1/environ"; } 2>/dev/null || return 1
  for entry in "${entries[@]}"; do
    [ "$entry" != "PROTIUM_SPARK_STATE=$state" ] || return 0
  done
  return 1
}

# Sets letter, session and born of a process; fails when it is gone. A zombie counts as gone.
Look() {
  local line fields
  { read -r line <"/proc/$1/stat"; } 2>/dev/null || return 1
  read -r -a fields <<<"${line##*) }"
  session=${fields[3]} born=${fields[19]}
  [ "${fields[0]}" != Z ]
}

# Sets `members` to the server's processes, without the one that asks.
FindMembers() {
  local leader pid session born
  leader=$(cat "$state/pid" 2>/dev/null) || leader=
  # Numbers are given again: the leader is still ours only while it carries our mark.
  [ -z "$leader" ] || Carries "$leader" || leader=
  members=()
  for pid in /proc/[0-9]*; do
    pid=${pid#/proc/}
    [ "$pid" != $$ ] && Look "$pid" || continue
    if [ "$session" = "${leader:-none}" ] || Carries "$pid"; then members+=("$pid"); fi
  done
}

# Kills until nobody is left; new ones may be born meanwhile.
KillMembers() {
  local until=$((SECONDS + 20))
  FindMembers
  while ((${#members[@]} > 0)); do
    ((SECONDS < until)) || Die "processes ${members[*]} of the server in $state do not end"
    kill -KILL "${members[@]}" 2>/dev/null || true
    Idle 0.05
    FindMembers
  done
}

# End: asks the server in `state` to end, then makes sure of it.
End() {
  local leader until=$((SECONDS + 40))
  leader=$(cat "$state/pid" 2>/dev/null) || leader=
  if [ -n "$leader" ] && Carries "$leader"; then
    [ -z "$keep" ] || : >"$state/keep"
    kill -TERM "$leader" 2>/dev/null || true
    while Look "$leader" && ((SECONDS < until)); do Idle 0.1; done
  fi
  KillMembers
  [ -e "$state/keep" ] || rm -rf "$state"
}
