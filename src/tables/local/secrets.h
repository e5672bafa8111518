// SPDX-License-Identifier: Apache-2.0
// What DuckDB is told to open a server or an object store: secrets of this process's memory, so
// that no password is in a text that DuckDB shows, neither in the names of databases nor in its
// messages. A secret is gone when the process ends.
#pragma once

#include <string>

#include "protium/sources.h"
#include "sources/object_store.h"
#include "sources/server_url.h"

namespace protium {

// The statement that makes the secret `name` for a server.
std::string ServerSecret(const Source& source, const ServerUrl& url, const std::string& password,
                         const std::string& name);
// Options in the words of the server's own client: libpq says sslmode, MySQL's ssl_mode.
std::string ClientOptions(const Source& source, const ServerUrl& url);

// The statement that makes the secret `name` for all places of the store.
std::string StoreSecret(const StoreAccess& access, const std::string& name);

}  // namespace protium
