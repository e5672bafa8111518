// SPDX-License-Identifier: Apache-2.0
// What a frame says against itself: pt_frame_leaks(), pt_frame_split_leaks().
#include "leaks/leaks.h"

#include <arrow/api.h>

#include <string>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "c/handles.h"
#include "c/options.h"
#include "column/stream.h"
#include "inspect/first_columns.h"
#include "job/leak_sample.h"
#include "leaks/shared_groups.h"
#include "leaks/split_text.h"
#include "leaks/table_profile.h"
#include "leaks/twin_rows.h"

namespace protium {
namespace {

using Batches = arrow::RecordBatchVector;

// Names of things are no inputs: rows that differ in nothing else are copies.
Result<std::vector<std::string>> SplitFindings(const DataFrame& train, const DataFrame& test,
                                               const std::string& label) {
  PT_LET(const SchemaPtr schema, train.Schema());
  PT_LET(const Batches seen, ReadSample(train, schema->field_names(), {}));
  PT_LET(const Batches held, ReadSample(test, schema->field_names(), {}));
  PT_LET(const TableProfile table, ProfileRows(*MakeStream(schema, seen), 0));
  PT_LET(const ColumnProfile* const own, FindLabel(table, label));
  std::vector<std::string> inputs, findings;
  for (const ColumnProfile& each : table.columns) {
    if (each.name == own->name) continue;
    if (!MayNameGroups(each.name, *each.type)) {
      inputs.push_back(each.name);
      continue;
    }
    PT_LET(const SharedGroups groups,
           FindSharedGroups(seen, held, each.name, own->name, IsOfClasses(*own)));
    if (groups.telling()) findings.push_back(GroupText(groups, each.name));
  }
  PT_LET(const TwinRows twins, FindTwins(seen, held, inputs, own->name));
  if (twins.telling()) findings.push_back(TwinText(twins, "test"));
  return findings;
}

}  // namespace
}  // namespace protium

using protium::Status;

extern "C" {

pt_error* pt_frame_leaks(const pt_frame* frame, const char* label, char** json) {
  return protium::WithSession(frame, [&](protium::Session& session) -> Status {
    const protium::DataFrame rows(session, frame->plan);
    PT_LET(const protium::BatchStreamPtr first, rows.Stream());
    PT_LET(const protium::TableProfile table, protium::ProfileRows(*first, 0));
    PT_LET(const auto* const column, protium::FindLabel(table, protium::TextOf(label)));
    PT_LET(const protium::BatchStreamPtr again, rows.Stream());
    PT_LET(const auto leaks,
           protium::FindLeaks(*again, table, column->name, protium::IsOfClasses(*column)));
    *json = protium::CopyOut(protium::Dump(protium::Json(leaks)));
    return Status::OK();
  });
}

pt_error* pt_frame_split_leaks(const pt_frame* train, const pt_frame* test, const char* label,
                               char** json) {
  return protium::WithSession(train, [&](protium::Session& session) -> Status {
    if (test == nullptr) return protium::NullHandle();
    if (test->room != train->room) {
      return protium::Fail({.exit = protium::Exit::kUsage,
                            .what = "training rows and test rows are of different sessions"});
    }
    const protium::DataFrame seen(session, train->plan), held(session, test->plan);
    PT_LET(const auto findings, protium::SplitFindings(seen, held, protium::TextOf(label)));
    *json = protium::CopyOut(protium::Dump(protium::Json(findings)));
    return Status::OK();
  });
}

}  // extern "C"
