// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/store_keys.h"

#include <fmt/format.h>

#include <utility>

#include "base/fault.h"
#include "base/mentions.h"
#include "sources/source.h"
#include "spark/ship/run_transit.h"

namespace protium {
namespace {

constexpr std::string_view kS3 = "s3://";

std::string BucketOf(const std::string& place) {
  return place.substr(kS3.size(), place.find('/', kS3.size()) - kS3.size());
}

// The class that finds a key among the settings.
std::string Provider(const char* name) { return std::string("org.apache.hadoop.fs.s3a.") + name; }

Status OtherStore(const Source& source) {
  return Fail({.exit = Exit::kUsage,
               .what = "of object stores, the engine for Spark reads and writes tables at s3://",
               .where = DescribeSource(source),
               .fix = "name a table of the server's catalogue, table = \"lake.sales.prices\", or "
                      "run on the embedded engine"});
}

}  // namespace

SparkSession::Settings StoreSettings(const StoreAccess& access) {
  SparkSession::Settings settings;
  if (!access.connected) return settings;
  const std::string begin = "fs.s3a.bucket." + BucketOf(access.scope) + ".";
  const auto set = [&](const char* name, const std::string& value) {
    settings[begin + name] = value;
  };
  if (access.anonymous) {
    set("aws.credentials.provider", Provider("AnonymousAWSCredentialsProvider"));
  } else if (access.own_key) {
    set("access.key", access.key);
    set("secret.key", access.secret);
    set("aws.credentials.provider", Provider("SimpleAWSCredentialsProvider"));
  }
  if (!access.endpoint.empty()) {
    // Names of buckets as hosts need a domain of the store's own.
    set("endpoint", (access.encrypted ? "https://" : "http://") + access.endpoint);
    set("path.style.access", "true");
    set("connection.ssl.enabled", access.encrypted ? "true" : "false");
    // The connector signs for a region, which stores of one's own do not look at.
    set("endpoint.region", "us-east-1");
  }
  if (!access.region.empty()) set("endpoint.region", access.region);
  return settings;
}

Status StoreKeys::Give(const Source& source, const Call& call) {
  if (!IsObjectPlace(source.file)) return Status::OK();
  if (!source.file.starts_with(kS3)) return OtherStore(source);
  PT_LET(const StoreAccess access, ReadStoreAccess(source));
  const SparkSession::Settings settings = StoreSettings(access);
  const std::lock_guard lock(mutex_);
  const std::string bucket = BucketOf(source.file);
  const auto [known, fresh] = given_.emplace(bucket, settings);
  if (!fresh && known->second == settings) return Status::OK();
  if (!fresh) {
    return Fail({.exit = Exit::kUsage,
                 .what = fmt::format("several connections are for the bucket {}, and Spark asks "
                                     "for all of it in one way",
                                     bucket),
                 .where = DescribeSource(source),
                 .fix = fmt::format("one connection with  url = \"s3://{}\"", bucket)});
  }
  if (settings.empty()) return Status::OK();
  const Status told = session_.SetConf(settings, call);
  if (!told.ok()) given_.erase(bucket);
  return told;
}

Status StoreFault(const Source& source, const Status& status) {
  if (status.ok() || !IsObjectPlace(source.file)) return status;
  const Fault said = FaultOf(status);
  const std::string text = said.what + "\n" + said.why;
  Fault fault{.exit = Exit::kRemote, .where = DescribeSource(source), .why = said.what};
  if (LacksConnector(status)) {
    fault.exit = Exit::kEnvironment;
    fault.what = "the Spark server has no connector for s3://";
    fault.fix =
        "start the server with --conf spark.jars.packages=org.apache.hadoop:hadoop-aws:3.4.1, in "
        "the version of its Hadoop";
  } else if (Mentions(text, {"AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch",
                             "Status Code: 403", "NoAuthWithAWSException",
                             "Unable to load credentials"})) {
    fault.what = "the object store refuses Spark the key, or what it asks for";
    fault.fix =
        "a connection with url, key and password says who asks; without one, the Spark "
        "server and its executors ask with what they have themselves";
  } else if (Mentions(text, {"SdkClientException", "UnknownHostException", "Connection refused",
                             "Unable to execute HTTP request"})) {
    fault.what = "no object store answers Spark";
    fault.fix =
        "the endpoint and the region of the connection: it is the Spark server and its "
        "executors that call it";
  } else {
    return status;
  }
  return Fail(std::move(fault));
}

}  // namespace protium
