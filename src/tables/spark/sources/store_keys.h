// SPDX-License-Identifier: Apache-2.0
// Who asks at an S3 store, as a session of Spark is told: settings of Hadoop's connector for one
// bucket (hadoop-aws, "Configuring different S3 buckets with Per-Bucket Configuration"). They are
// part of no plan, and what Spark shows of a session's settings has no values of those whose names
// speak of a secret, a token or an access key.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "connect/session.h"
#include "protium/sources.h"
#include "sources/object_store.h"

namespace protium {

// The settings for the bucket of `access`; none unless a connection of the job is for it: then the
// server and its executors ask with what they have themselves.
SparkSession::Settings StoreSettings(const StoreAccess& access);

// What one session was told. Thread-safe.
class StoreKeys {
 public:
  explicit StoreKeys(SparkSession& session) : session_(session) {}

  // Tells the session who asks for `source`; does nothing for a source that is at no object store.
  // Refuses (kUsage) stores other than S3, and two connections of a job for one bucket, between
  // which Spark cannot choose.
  Status Give(const Source& source, const Call& call);

 private:
  SparkSession& session_;
  std::mutex mutex_;
  std::map<std::string, SparkSession::Settings> given_;  // By bucket.
};

// Turns Spark's words about a store into ours: a server without the connector (kEnvironment, with
// the line that adds it), a store that refuses or does not answer (kRemote); others as they are.
Status StoreFault(const Source& source, const Status& status);

}  // namespace protium
