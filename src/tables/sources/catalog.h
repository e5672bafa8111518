// SPDX-License-Identifier: Apache-2.0
// Catalogues of Iceberg tables that speak Iceberg's REST protocol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protium/sources.h"

namespace protium {

// Whether `url` begins with http:// or https://; rest:// stands for https://.
bool IsCatalogUrl(std::string_view url);
// Refuses (kUsage) a URL that is none, and one with a password or with options other than
// "warehouse", without repeating any of it.
Status CheckCatalogUrl(std::string_view url);
// Writes it for people, without the warehouse.
std::string ShowCatalogUrl(std::string_view url);

// Whether a catalogue has to say where the table lies.
bool IsOfCatalog(const Source& source);

// The addresses of two questions, whose answers are JSON (Iceberg's REST specification,
// open-api/rest-catalog-open-api.yaml): what the catalogue wants of its clients, and where the
// table lies. `prefix` is what the first one's answer says; may be empty.
std::string ConfigAddress(std::string_view url);
std::string TableAddress(std::string_view url, std::string_view prefix, std::string_view table);

}  // namespace protium
