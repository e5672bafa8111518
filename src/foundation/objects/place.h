// SPDX-License-Identifier: Apache-2.0
// Folders on object stores, by their addresses:
//   s3://bucket/folder             Amazon S3, and what speaks its protocol
//   gs://bucket/folder             Google Cloud Storage
//   abfss://container@account.dfs.core.windows.net/folder   Azure (abfs:// without TLS)
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"

namespace protium {

// Whether `text` begins with the scheme of an object store, or of Hadoop, whose places are refused.
// Such a text is never a local path.
bool IsOnStore(std::string_view text);

// A folder on an object store. Holds no secrets.
class ObjectPlace {
 public:
  // Refuses (Exit::kUsage) an address without a bucket, and one with a password or options; these
  // belong into the environment of the process, and are not repeated in the message.
  static Result<ObjectPlace> Parse(std::string_view text);

  ObjectPlace operator/(std::string_view name) const;
  // The folder that this one is in; itself if it is the bucket.
  ObjectPlace parent() const;
  // The last part of the address; empty for a bucket.
  std::string name() const;
  // The address, without a slash at its end.
  const std::string& text() const { return text_; }
  // "s3", "gs" or "abfs", also for gcs:// and abfss://.
  std::string_view kind() const;

 private:
  explicit ObjectPlace(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

}  // namespace protium
