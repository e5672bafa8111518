// SPDX-License-Identifier: Apache-2.0
#include "spark/sources/lake_tables.h"

#include <arrow/api.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "base/mentions.h"
#include "connect/types.h"
#include "format/file_names.h"
#include "format/object_files.h"
#include "sources/object_store.h"
#include "sources/source.h"
#include "spark/ship/tables.h"
#include "spark/sources/store_keys.h"
#include "spark/sources/table_read.h"

namespace protium {
namespace {

Status NotRead(const Source& source, const std::string& why) {
  return Fail({.exit = Exit::kUsage,
               .what = "Spark does not read the table",
               .where = DescribeSource(source),
               .why = why,
               .fix = "run on the embedded engine, --engine local"});
}

// The addresses of the objects. Spark takes some signs in names for patterns, and passes over names
// that it holds for hidden.
Result<std::vector<std::string>> PlacesFor(const Source& source) {
  std::vector<std::string> places;
  for (const SourceObject& object : source.objects) {
    const std::string name = object.place.substr(object.place.rfind('/') + 1);
    if (object.place.find_first_of("{}[]*?\\") != std::string::npos || IsHiddenName(name)) {
      return NotRead(source, "it does not open objects with a name like " + object.place);
    }
    places.push_back(FileUri(object.place));
  }
  return places;
}

// NaN is left out of the bounds of Parquet files, by which Spark drops rows that a comparison would
// keep; it does not do so with an expression over a column.
Result<std::string> Converted(const Source& source, const arrow::Field& there,
                              const arrow::Field& wanted) {
  const std::string name = connect::SparkName(there.name());
  const std::string as = connect::SparkName(wanted.name());
  if (there.type()->Equals(wanted.type())) {
    const bool floats = arrow::is_floating(there.type()->id());
    return floats ? fmt::format("nanvl({0}, {0}) AS {1}", name, as) : name + " AS " + as;
  }
  const auto type = connect::SparkType(*wanted.type());
  if (!type.ok()) return NoColumn(source, wanted.name(), wanted.type()->ToString());
  return fmt::format("CAST({} AS {}) AS {}", name, *type, as);
}

Result<connect::Relation> WithTypes(SparkSession& session, const Source& source,
                                    connect::Relation relation, const arrow::Schema& schema,
                                    const Call& call) {
  const Result<SchemaPtr> there = session.Schema(relation, call);
  PT_TRY(StoreFault(source, there.status()));
  std::vector<std::string> columns;
  for (const auto& wanted : schema.fields()) {
    const auto found = (*there)->GetFieldByName(wanted->name());
    if (found == nullptr) return NotRead(source, "it finds no column " + wanted->name());
    PT_LET(std::string column, Converted(source, *found, *wanted));
    columns.push_back(std::move(column));
  }
  return connect::Project(std::move(relation), columns);
}

// The columns of the files in Spark's own types, and those of the folders.
Result<SchemaPtr> SchemaOfFiles(SparkSession& session, const Source& source,
                                const arrow::Schema& schema, const Call& call) {
  PT_LET(const connect::Relation first,
         connect::Read("parquet", {FileUri(source.objects.front().place)}, nullptr, {}));
  const Result<SchemaPtr> there = session.Schema(first, call);
  PT_TRY(StoreFault(source, there.status()));
  arrow::FieldVector fields;
  const auto folder = [&](const std::string& name) {
    return std::ranges::find(source.partitions, name) != source.partitions.end();
  };
  for (const auto& field : (*there)->fields()) {
    if (!folder(field->name())) fields.push_back(field);
  }
  for (const auto& field : schema.fields()) {
    if (folder(field->name())) fields.push_back(field);
  }
  return arrow::schema(std::move(fields));
}

}  // namespace

Result<connect::Relation> ReadObjects(SparkSession& session, const Source& source,
                                      const arrow::Schema& schema, const Call& call) {
  PT_LET(std::vector<std::string> places, PlacesFor(source));
  PT_LET(const SchemaPtr files, SchemaOfFiles(session, source, schema, call));
  PT_LET(connect::Relation relation, connect::Read("parquet", std::move(places), files, {}));
  if (!source.partitions.empty()) {
    relation = connect::WithFolders(std::move(relation), FileUri(ObjectRoot(source)));
  }
  return WithTypes(session, source, std::move(relation), schema, call);
}

Result<connect::Relation> ReadIceberg(SparkSession& session, const Source& source,
                                      const arrow::Schema& schema, const Call& call) {
  // Its metadata names files at s3://, which Hadoop's connector reads under the name s3a.
  if (IsObjectPlace(source.file)) {
    PT_TRY(session.SetConf({{"fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem"}}, call));
  }
  connect::Options options;
  if (source.version) options["versionAsOf"] = std::to_string(*source.version);
  PT_LET(connect::Relation relation,
         connect::Read("iceberg", {FileUri(source.file)}, nullptr, std::move(options)));
  auto typed = WithTypes(session, source, std::move(relation), schema, call);
  if (typed.ok()) return typed;
  const Fault said = FaultOf(typed.status());
  if (!Mentions(said.what + said.why, {"DATA_SOURCE_NOT_FOUND"})) return typed;
  return Fail({.exit = Exit::kEnvironment,
               .what = "the Spark server has no reader of Iceberg tables",
               .where = DescribeSource(source),
               .fix = "start the server with --conf spark.jars.packages="
                      "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0, in the version "
                      "that fits its Spark"});
}

Status CheckReach(SparkSession& session, const Source& source, const Call& call) {
  PT_LET(const std::vector<std::string> places, PlacesFor(source));
  PT_LET(const connect::Relation first, connect::Read("text", {places.front()}, nullptr, {}));
  return StoreFault(source, session.Schema(first, call).status());
}

}  // namespace protium
