# SPDX-License-Identifier: Apache-2.0
# The process that stays with a server: starts its parts, watches them, and leaves nothing.

FindJava() {
  local home
  for home in /usr/lib/jvm/java-17-openjdk-amd64 "${JAVA_HOME:-}"; do
    if [ -x "$home/bin/java" ]; then
      echo "$home"
      return
    fi
  done
  Die "Java 17 is not here: install Debian's openjdk-17-jre-headless or set JAVA_HOME"
}

# All that a part of Spark writes goes below the state folder; SPARK_HOME is a folder of its own,
# because executors of a local-cluster work in $SPARK_HOME/work whatever they are told.
SetUpFolder() {
  local folder=$PWD/.deps/spark/$version name
  mkdir -p "$state"/{home,conf,local,tmp,cwd,log}
  ln -s "$folder/jars" "$folder/bin" "$state/home/"
  printf '#!/bin/sh\necho %s\n' "'{\"name\":\"gpu\",\"addresses\":[\"0\",\"1\"]}'" >"$state/home/gpus"
  chmod 755 "$state/home/gpus"
  for name in ${!SPARK_@} ${!PYSPARK_@}; do unset "$name"; done
  unset HADOOP_CONF_DIR YARN_CONF_DIR
  JAVA_HOME=$(FindJava)
  export JAVA_HOME PROTIUM_SPARK_STATE="$state" TMPDIR="$state/tmp"
  export SPARK_HOME="$state/home" SPARK_CONF_DIR="$state/conf" SPARK_LOCAL_DIRS="$state/local"
  export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_HOSTNAME=127.0.0.1 SPARK_PUBLIC_DNS=127.0.0.1
  export JAVA_TOOL_OPTIONS="-Djava.io.tmpdir=$state/tmp -XX:-UsePerfData${brief:+ -XX:TieredStopAtLevel=1}"
}

# The mark stands in the environment that the kernel shows, so this process starts itself again.
Serve() {
  if [ "${PROTIUM_SPARK_STATE:-}" != "$state" ]; then
    exec env PROTIUM_SPARK_STATE="$state" bash scripts/spark-server serve "${given[@]}"
  fi
  trap 'asked=1' TERM INT HUP
  asked='' born='' session=''
  echo $$ >"$state/pid"
  [ -z "$keep" ] || : >"$state/keep"
  [ -z "$owner" ] || Look "$owner" || Fail "its owner, process $owner, is gone"
  readonly owner_born=$born
  echo "$version $master" >"$state/about"
  SetUpFolder
  StartParts
  Watch
}

# Should the server go on? The owner's number may have been given to another process.
IsWanted() {
  [ -z "$asked" ] && ((SECONDS < lifetime)) && [ -d "$state" ] || return 1
  [ -z "$owner" ] || { Look "$owner" && [ "$born" = "$owner_born" ]; }
}

# Part NAME COMMAND...: starts a part that ends with this process; its number is then in `part`.
Part() {
  local name=$1
  shift
  : >"$state/log/$name"
  (cd "$state/cwd" && exec setpriv --pdeathsig TERM "$@") </dev/null >>"$state/log/$name" 2>&1 &
  part=$!
}

# Await NAME COUNT PATTERN: until the log of the part holds so many such lines.
Await() {
  local name=$1 count=$2 pattern=$3 found
  while true; do
    found=$(grep -cE "$pattern" "$state/log/$name") || true
    ((found < count)) || return 0
    kill -0 "$part" 2>/dev/null || Fail "its $name ended"
    [ -z "$asked" ] || Leave
    IsWanted || Fail "it was to end, with its owner or after $lifetime s, before it was ready"
    ((SECONDS < timeout)) || Fail "its $name was not ready after $timeout s"
    Idle 0.1
  done
}

GpuConfs() {
  local prefix
  echo "--conf spark.executor.resource.gpu.amount=2 --conf spark.task.resource.gpu.amount=0.5"
  [ "$master" = standalone ] || echo "--conf spark.worker.resource.gpu.amount=2" \
    "--conf spark.worker.resource.gpu.discoveryScript=$state/home/gpus"
}

StartParts() {
  local url=$master executors=0 more=()
  case "$master" in
    standalone)
      StartStandalone
      executors=2
      more=($(GpuConfs) --conf spark.executor.cores=2)
      ;;
    local-cluster*)
      IFS='[,]' read -r _ executors _ megabytes <<<"$master"
      more=($(GpuConfs) --conf "spark.executor.memory=${megabytes}m")
      ;;
  esac
  Part server "$SPARK_HOME/bin/spark-submit" \
    --class org.apache.spark.sql.connect.service.SparkConnectServer --master "$url" \
    --conf spark.connect.grpc.binding.address=127.0.0.1 \
    --conf "spark.connect.grpc.binding.port=$port" --conf spark.ui.enabled=false \
    --conf "spark.sql.warehouse.dir=$state/local/warehouse" \
    --conf spark.scheduler.barrier.maxConcurrentTasksCheck.interval=2s \
    --conf spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures=3 "${more[@]}" "${confs[@]}"
  server=$part
  Await server 1 'Spark Connect server started at'
  # These come when there is work for them.
  [[ " ${confs[*]} " != *" spark.dynamicAllocation.enabled=true "* ]] || executors=0
  Await server "$executors" 'Registered executor '
  port=$(sed -nE 's/.*Spark Connect server started at:? *.*:([0-9]+)[^0-9]*$/\1/p' "$state/log/server" | head -n 1)
  [ -n "$port" ] || Fail "its server did not say its port"
  echo "sc://127.0.0.1:$port" >"$state/address.new" && mv "$state/address.new" "$state/address"
}

# Sets `url`. The two workers have different devices.
StartStandalone() {
  local worker
  export SPARK_MASTER_OPTS=-Dspark.master.rest.enabled=false
  Part master "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.master.Master \
    --host 127.0.0.1 --port 0 --webui-port 0
  Await master 1 'Starting Spark master at spark://'
  url=$(sed -nE 's/.*Starting Spark master at (spark:[^ ]+).*/\1/p' "$state/log/master" | head -n 1)
  for worker in 0 1; do
    printf '[{"id":{"componentName":"spark.worker","resourceName":"gpu"},"addresses":["%s","%s"]}]\n' \
      $((2 * worker)) $((2 * worker + 1)) >"$state/home/worker$worker.json"
    export SPARK_WORKER_DIR="$state/home/work$worker"
    export SPARK_WORKER_OPTS="-Dspark.worker.resource.gpu.amount=2 -Dspark.worker.resourcesFile=$state/home/worker$worker.json"
    Part "worker$worker" "$SPARK_HOME/bin/spark-class" org.apache.spark.deploy.worker.Worker "$url" \
      --host 127.0.0.1 -c 2 -m 2g --webui-port 0
    Await "worker$worker" 1 'Successfully registered with master'
  done
  unset SPARK_MASTER_OPTS SPARK_WORKER_DIR SPARK_WORKER_OPTS
}

Watch() {
  while IsWanted; do
    kill -0 "$server" 2>/dev/null || Fail "its server ended by itself"
    Idle 0.5
  done
  Leave
}

# The server is asked first: it then ends its executors and tells what went wrong.
StopParts() {
  local until=$((SECONDS + 8))
  if [ -n "${server:-}" ] && kill -TERM "$server" 2>/dev/null; then
    while kill -0 "$server" 2>/dev/null && ((SECONDS < until)); do Idle 0.1; done
  fi
  KillMembers
}

Leave() {
  StopParts
  if [ -e "$state/keep" ]; then KeepLogs; else rm -rf "$state"; fi
  exit 0
}

# Fail WHY: ends all, keeps the logs.
Fail() {
  echo "$*" >"$state/failed"
  StopParts
  KeepLogs
  exit 1
}

KeepLogs() {
  local log
  for log in "$state"/home/work*/*/*/std{out,err}; do
    [ ! -s "$log" ] || mv "$log" "$state/log/$(basename "$(dirname "$log")").${log##*/}"
  done
  rm -rf "$state"/{home,conf,local,tmp,cwd,pid,address}
}
