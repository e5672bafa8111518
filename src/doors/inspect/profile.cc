// SPDX-License-Identifier: Apache-2.0
#include "inspect/profile.h"

#include <string>
#include <utility>
#include <vector>

#include "events/events.h"
#include "frame/open.h"
#include "frame/session_state.h"
#include "inspect/folder_tables.h"

namespace protium {

Result<TableProfile> ProfilePlace(const TypedPlace& place, const CsvOptions& csv, int64_t head) {
  SessionOptions options = LookOptions(place);
  std::vector<std::string> notes;
  options.call.events = [&notes](const Json& event) {
    if (Is<Note>(event)) notes.push_back(event.value("message", ""));
  };
  PT_LET(const std::unique_ptr<Session> session, OpenSession(options));
  PT_LET(const BatchStreamPtr rows, OpenPlace(*session, place, csv).Stream());
  PT_LET(TableProfile table, ProfileRows(*rows, head));
  table.notes = std::move(notes);
  return table;
}

}  // namespace protium
