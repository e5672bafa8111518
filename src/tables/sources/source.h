// SPDX-License-Identifier: Apache-2.0
// The kinds of sources, one row each, and what identifies a source.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "protium/sources.h"

namespace protium {

struct SourceKindRow {
  SourceKind kind;
  std::string_view title;      // In messages: "PostgreSQL".
  std::string_view extension;  // DuckDB's, which reads it; empty: DuckDB itself does.
  std::string_view beneath;    // Another extension, which that one needs.
  std::string_view set_up;     // The name in ./dev setup --sources.
  bool server;                 // Has a Connection; otherwise a file.
  bool folder;                 // Its file is a folder.
  std::string_view scheme;     // Of a server's URL.
  int port;                    // Of a server whose URL names none.
  std::string_view query;      // The table function that runs the server's own SQL; empty: none.
  bool copied;  // Its files say nothing of their types: they are read in copies here.
};

std::span<const SourceKindRow> SourceKinds();
const SourceKindRow& RowOf(SourceKind kind);

// What a source is read with: DuckDB's extensions in the order in which they are opened, and what
// ./dev setup --sources calls them together, "delta,s3".
struct SourceExtensions {
  std::vector<std::string> names;
  std::string set_up;
};
SourceExtensions ExtensionsOf(const Source& source);
// The same of its place alone: of a file here, none.
SourceExtensions ExtensionsOfPlace(const Source& source);

// Checks all that can be checked without opening it: that the place is given, that exactly one of
// table and query is, and what its kind does not have. Faults are kUsage.
Status CheckSource(const Source& source);

// "PostgreSQL table public.orders of postgresql://reader@host:5432/shop"; holds no secret.
std::string DescribeSource(const Source& source);
// The place alone: the file, or the server's URL.
std::string PlaceOf(const Source& source);
// Whether the source is a file or a folder of this machine.
bool IsHere(const Source& source);
// The file of a source, absolute from `base`; a place elsewhere as it is.
std::string PlaceFrom(const std::filesystem::path& base, const Source& source);
// The folder of a table of a lake. An Iceberg table may be named by its file of metadata,
// "F/metadata/M.json", whose folder is F.
std::string TableFolder(const std::string& place);
// What is opened to read it: files, and folders, which end with '/'; nothing of a server.
std::vector<std::string> OpenedFor(const Source& source);

// A digest of the names, sizes and times of objects.
std::string ObjectsDigest(const std::vector<SourceObject>& objects);
// A text that two sources share if and only if they read the same; holds no secret.
std::string SourceKey(const Source& source);

}  // namespace protium
