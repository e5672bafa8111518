// SPDX-License-Identifier: Apache-2.0
// How a server itself counts its rows and sums up their values, so that none of them travels. The
// sum is the same for the same rows in whatever order, and practically never for others.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "protium/sources.h"

namespace arrow {
class Schema;
}

namespace protium {

// A SELECT with the number of rows as its only value. The source's kind has a server.
std::string CountQuery(const Source& source);

// A SELECT with the sum of the hashes of all rows, as text, as its only value. `schema` has the
// columns that the source is read with; all of them take part.
std::string SumQuery(const Source& source, const arrow::Schema& schema);

// What a sum of this kind of server begins with, before a blank and the number.
std::string_view SumWord(SourceKind kind);

// Whether both texts are sums that were taken in the same way, so that different sums mean other
// rows. Sums without a word are those of releases whose engines took them.
bool AreOfOneKind(std::string_view sum, std::string_view other);

}  // namespace protium
