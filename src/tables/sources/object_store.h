// SPDX-License-Identifier: Apache-2.0
// Places in object stores, "s3://lake/trips", and who asks there.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "protium/sources.h"

namespace protium {

// Whether a place begins with the scheme of an object store: s3, gs, az or abfss.
bool IsObjectPlace(std::string_view place);
// DuckDB's name of the store's provider: "s3", "gcs" or "azure". `place` must be one of a store.
std::string_view ProviderOf(std::string_view place);
// Whether a place is at `url`, the beginning of places: "s3://lake" is one of "s3://lake/a", and
// none of "s3://lakes/a".
bool IsBelow(std::string_view place, std::string_view url);

// Refuses (kUsage) a place with a key in it, "s3://KEY:SECRET@lake" or "...?s3_secret_access_key=",
// without repeating any of it. Other texts pass.
Status CheckNoKeyIn(std::string_view place);

// What an object store is told.
struct StoreAccess {
  std::string provider;  // ProviderOf().
  std::string scope;     // The beginning of all places that this is for: "s3://lake/".
  // The two halves of an access key, and the token of one that expires. Of Azure, the secret is a
  // connection string. Without a secret, the provider's files and services are asked.
  std::string key, secret, token;
  std::string endpoint;  // Host and port; empty: the provider's own.
  bool encrypted = true;
  bool anonymous = false;  // Nobody in particular asks, as of a public place.
  std::string region;
  std::string found;       // For people: where the key came from.
  bool connected = false;  // A connection of the job is for this place,
  bool own_key = false;    // and it names the key.
};

// Finds who asks for `source`, which lies at an object store: one of its stores says it, or else
// the environment variables that the provider's own tools read. The key "anonymous" is none.
// Refuses (kUsage) a key without a secret, and what ReadPassword() refuses.
Result<StoreAccess> ReadStoreAccess(const Source& source);

}  // namespace protium
