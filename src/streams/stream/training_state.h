// SPDX-License-Identifier: Apache-2.0
// How far the trainings of a stream are, as its log says: {"training": {...}} is a line of it, and
// the newest such line counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protium/fields.h"

namespace protium {

// A training on the events before a batch.
struct TrainingDue {
  int64_t number = 0;   // From 0, without gaps.
  int64_t batches = 0;  // The number of the first batch that it does not see.
  int64_t rows = 0;     // Rows that the stream had written by then.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("number", number);
    visit("batches", batches);
    visit("rows", rows);
  }
};

// One that has begun, with the model that it begins from and is judged against.
struct TrainingBegun {
  TrainingDue due;
  std::string model;  // The SHA-256 of its model.json.
  std::string model_folder;
  template <class Visit>
  void Fields(Visit& visit) {
    visit("due", due);
    visit("model", model);
    visit("model_folder", model_folder);
  }
};

// One that has ended.
struct TrainingEnded {
  int64_t number = 0;
  int64_t rows = 0;      // That it learned from.
  int64_t held_out = 0;  // The newest, on which both models were judged.
  std::string metric;
  double live = 0;             // Of the live model.
  double trained = 0;          // Of the new one.
  std::string model;           // Where the new one is.
  std::string weights_sha256;  // Of the new one.
  bool promoted = false;       // The tag is to be the new one's.
  bool moved = false;          // The tag is.
  std::string why;             // Not promoted: why not.
  bool failed = false;         // There is no new model, or it could not be judged.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("number", number);
    visit("rows", rows);
    visit("held_out", held_out);
    visit("metric", metric);
    visit("live", live);
    visit("trained", trained);
    visit("model", model);
    visit("weights_sha256", weights_sha256);
    visit("promoted", promoted);
    visit("moved", moved);
    visit("why", why);
    visit("failed", failed);
  }
};

struct TrainingState {
  int64_t next = 0;      // The number of the next one that is due.
  int64_t due_rows = 0;  // Rows that the stream had written when the last one was due.
  std::vector<TrainingDue> waiting;
  std::optional<TrainingBegun> open;  // Has begun and not ended.
  std::optional<TrainingEnded> last;
  int64_t promoted = 0;
  int64_t refused = 0;  // Worse than the live model.
  int64_t failed = 0;
  int64_t skipped = 0;  // Overtaken by others.
  template <class Visit>
  void Fields(Visit& visit) {
    visit("next", next);
    visit("due_rows", due_rows);
    visit("waiting", waiting);
    visit("open", open);
    visit("last", last);
    visit("promoted", promoted);
    visit("refused", refused);
    visit("failed", failed);
    visit("skipped", skipped);
  }
};

}  // namespace protium
