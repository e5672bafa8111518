// SPDX-License-Identifier: Apache-2.0
#include "local/iceberg_target.h"

#include "base/fault.h"
#include "iceberg/columns.h"
#include "local/iceberg_pin.h"
#include "sources/object_store.h"
#include "sources/source.h"

namespace protium {
namespace {

// Files are put here and at S3; what others take is not known.
Status CheckLocation(const IcebergTable& table) {
  for (const std::string& folder : {DataFolder(table), MetadataFolder(table)}) {
    const std::string place = PlaceOfLocation(folder);
    const bool here = place.starts_with('/');
    if (here || (IsObjectPlace(place) && ProviderOf(place) == "s3")) continue;
    return Fail({.exit = Exit::kUsage,
                 .what = "Iceberg tables are written in folders here and at s3://",
                 .where = folder,
                 .why = "the catalogue says that the table lies there",
                 .fix = "name a table that lies elsewhere"});
  }
  return Status::OK();
}

}  // namespace

Result<IcebergTarget> IcebergTarget::Open(const Source& target) {
  PT_LET(RestCatalog catalog, RestCatalog::Open(target.connection));
  return IcebergTarget(std::move(catalog), target);
}

Result<std::optional<IcebergTable>> IcebergTarget::Read() const {
  PT_LET(const auto answer, catalog_.Load(target_.table));
  return TableIn(answer);
}

Result<IcebergTable> IcebergTarget::ReadOrMake(const arrow::Schema& rows) const {
  PT_LET(const auto there, Read());
  if (there) return *there;
  PT_LET(const Json schema, IcebergSchema(rows));
  PT_LET(const auto made, catalog_.Create(target_.table, schema));
  PT_LET(const auto table, made ? TableIn(made) : Read());
  if (table) return *table;
  return Fail({.exit = Exit::kRemote,
               .what = "the catalogue has a table of the name and does not show it",
               .where = DescribeSource(target_)});
}

Source IcebergTarget::At(const std::string& folder) const {
  return {.kind = SourceKind::kIceberg, .file = PlaceOfLocation(folder), .stores = target_.stores};
}

std::string IcebergTarget::place() const { return DescribeSource(target_); }

Result<std::optional<IcebergTable>> IcebergTarget::TableIn(
    const std::optional<Json>& answer) const {
  if (!answer) return std::nullopt;
  PT_LET(IcebergTable table, ReadIcebergTable(MemberOf(*answer, "metadata"), place()));
  PT_LET(table.file, MetadataFile(*answer, target_));
  PT_TRY(CheckWritable(table, place()));
  PT_TRY(CheckLocation(table));
  return std::optional(std::move(table));
}

}  // namespace protium
