# SPDX-License-Identifier: Apache-2.0
# Brings the jars of Kafka's broker to .deps/kafka, which appears when it is whole.

KafkaHash() { sha256sum <scripts/kafka.lock | cut -c1-64; }

HasKafka() { [ "$(cat .deps/kafka/made 2>/dev/null)" = "$(KafkaHash)" ]; }

# The jars that the lock names as Maven's own form of a list, without what they would bring along.
KafkaPom() {
  echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
  echo '<groupId>protium</groupId><artifactId>broker</artifactId><version>1</version><dependencies>'
  awk '!/^#/ { split($1, part, ":")
    print "<dependency><groupId>" part[1] "</groupId><artifactId>" part[2] "</artifactId><version>" \
      part[3] "</version><exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId>" \
      "</exclusion></exclusions></dependency>" }' scripts/kafka.lock
  echo '</dependencies></project>'
}

# The names and hashes of the lock, as sha256sum reads them.
KafkaSums() { awk '!/^#/ { split($1, part, ":"); print $2 "  " part[2] "-" part[3] ".jar" }' scripts/kafka.lock; }

MakeKafka() {
  (cd "$1/jars" && sha256sum --quiet -c -) < <(KafkaSums) || return 1
  KafkaHash >"$1/jars/made" && rm -rf .deps/kafka && mv "$1/jars" .deps/kafka
}

# FetchKafka: does nothing when it is here.
FetchKafka() {
  local folder=$PWD/.deps/fetch-kafka
  if HasKafka; then return 0; fi
  command -v mvn >/dev/null || Die "Maven is not here, which fetches Kafka's jars: apt-get install maven"
  LOG=$PWD/.deps/kafka.log
  : >"$LOG" && rm -rf "$folder" && mkdir -p "$folder"
  KafkaPom >"$folder/pom.xml"
  Step "downloading Kafka for tests of streams (43 MiB)" mvn -q -B -f "$folder/pom.xml" \
    dependency:copy-dependencies "-DoutputDirectory=$folder/jars" || Die "Kafka could not be downloaded: $(Reason)"
  Step "checking it" MakeKafka "$folder" || Die "Kafka's jars are not those of scripts/kafka.lock: $(Reason)"
  rm -rf "$folder" "$LOG"
}
