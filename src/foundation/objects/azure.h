// SPDX-License-Identifier: Apache-2.0
// Who asks Azure, by the connection string that its own tools read from the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "objects/place.h"

namespace protium {

inline constexpr const char* kAzureConnection = "AZURE_STORAGE_CONNECTION_STRING";

// Holds a secret.
struct AzureAccess {
  std::string account;
  std::string key;       // Base64.
  std::string endpoint;  // "127.0.0.1:10000"; empty: Azure's own.
  bool encrypted = true;
  std::string path;  // "container/folder"
};

// Nothing if the connection string has no key for the account of `place`, which is of Azure: then
// Azure's default credentials say who asks.
std::optional<AzureAccess> ReadAzureAccess(const ObjectPlace& place, std::string_view connection);

// The same by the connection string of the environment.
std::optional<AzureAccess> AzureAccessFor(const ObjectPlace& place);

}  // namespace protium
