// SPDX-License-Identifier: Apache-2.0
#include "model/sampled_shapley.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/fault.h"
#include "model/net_rows.h"
#include "rows/permutation.h"

namespace protium {
namespace {

constexpr int64_t kBlockRows = 4096;
constexpr int64_t kBlockBytes = 4 << 20;
// Outputs that are remembered until they are attributed; one order may need more.
constexpr int64_t kMostRemembered = 1 << 16;

// Bytes of a row.
struct Piece {
  int64_t offset = 0;
  int64_t bytes = 0;
};

// The sources, in the order of their first features.
struct Players {
  std::vector<size_t> first;               // By player: its first feature.
  std::vector<std::vector<Piece>> pieces;  // By player.
  size_t features = 0;

  size_t size() const { return first.size(); }
  void Copy(size_t player, const std::byte* from, std::byte* to) const {
    for (const Piece& each : pieces[player]) {
      std::memcpy(to + each.offset, from + each.offset, size_t(each.bytes));
    }
  }
};

// One piece for each feature: every element of numbers and categories, and every list.
std::vector<Piece> PiecesOf(const RowSchema& schema) {
  std::vector<Piece> pieces;
  for (const RowField& field : schema.fields()) {
    if (field.role != RowRole::kFeature) continue;
    const int64_t parts = field.list_length > 0 ? 1 : int64_t(field.columns.size());
    if (parts == 0) continue;
    const int64_t bytes = field.elements() * field.element_bytes() / parts;
    for (int64_t i = 0; i < parts; ++i) pieces.push_back({field.offset + i * bytes, bytes});
  }
  return pieces;
}

Result<Players> PlayersOf(const RowSchema& schema, const Columns& sources) {
  const std::vector<Piece> pieces = PiecesOf(schema);
  if (pieces.size() != sources.size()) {
    return Fail({.exit = Exit::kBug, .what = "the features to explain are not those of the rows"});
  }
  Players players{.features = sources.size()};
  std::vector<std::string> names;
  for (size_t f = 0; f < sources.size(); ++f) {
    const size_t player = size_t(std::ranges::find(names, sources[f]) - names.begin());
    if (player == names.size()) {
      names.push_back(sources[f]);
      players.first.push_back(f);
      players.pieces.emplace_back();
    }
    players.pieces[player].push_back(pieces[f]);
  }
  return players;
}

// Collects rows into blocks, predicts them, and remembers one output of each.
class Evaluations {
 public:
  Evaluations(const RowSchema& schema, int32_t width, const PredictPacked& predict)
      : schema_(schema),
        width_(width),
        predict_(predict),
        most_(std::clamp(kBlockBytes / schema.width(), int64_t{1}, kBlockRows)) {}

  void Choose(int32_t output) { output_ = output; }
  Status Add(const std::byte* row) {
    block_.insert(block_.end(), row, row + schema_.width());
    return int64_t(block_.size()) < most_ * schema_.width() ? Status::OK() : Predict();
  }
  // The outputs of the rows added since the last call.
  Result<std::vector<double>> Take() {
    PT_TRY(Predict());
    return std::exchange(values_, {});
  }

 private:
  Status Predict() {
    const int64_t rows = int64_t(block_.size()) / schema_.width();
    if (rows == 0) return Status::OK();
    outputs_.resize(size_t(rows * width_));
    PT_TRY(predict_(PackedRows(schema_, block_.data(), rows), outputs_));
    for (int64_t i = 0; i < rows; ++i) {
      values_.push_back(outputs_[size_t(i * width_ + output_)]);
    }
    block_.clear();
    return Status::OK();
  }

  const RowSchema& schema_;
  int32_t width_;
  const PredictPacked& predict_;
  int64_t most_;
  int32_t output_ = 0;
  std::vector<std::byte> block_;
  std::vector<float> outputs_;
  std::vector<double> values_;
};

// What explaining any row needs.
struct Game {
  const PackedRows& background;
  Players players;
  std::vector<float> base;  // [background rows, width]: their outputs.
  int32_t width = 1;
  int32_t samples = 1;

  double Base(int64_t row, int32_t output) const { return base[size_t(row * width + output)]; }
};

// The values of one row's players; `whole` is its output `output`.
struct Explained {
  const std::byte* row;
  double whole;
  int32_t output;
};

// What each set of players, as bits, is worth, times the number of background rows.
Result<std::vector<double>> WorthOfSets(const Game& game, const Explained& of, Evaluations& rows) {
  const size_t players = game.players.size(), full = (size_t{1} << players) - 1;
  std::vector<std::byte> mixed(size_t(game.background.schema().width()));
  std::vector<double> worth(full + 1);
  for (int64_t b = 0; b < game.background.size(); ++b) {
    for (size_t set = 1; set < full; ++set) {
      std::memcpy(mixed.data(), game.background.row(b), mixed.size());
      for (size_t p = 0; p < players; ++p) {
        if ((set >> p & 1) != 0) game.players.Copy(p, of.row, mixed.data());
      }
      PT_TRY(rows.Add(mixed.data()));
    }
    PT_LET(const std::vector<double> values, rows.Take());
    worth[0] += game.Base(b, of.output);
    for (size_t set = 1; set < full; ++set) worth[set] += values[set - 1];
    worth[full] += of.whole;
  }
  return worth;
}

Result<std::vector<double>> Enumerate(const Game& game, const Explained& of, Evaluations& rows) {
  PT_LET(const std::vector<double> worth, WorthOfSets(game, of, rows));
  const size_t players = game.players.size();
  // The share of orders in which a set of this size comes first and a certain player next.
  std::vector<double> share(players, 1.0 / double(players));
  for (size_t size = 1; size < players; ++size) {
    share[size] = share[size - 1] * double(size) / double(players - size);
  }
  std::vector<double> by_player(players);
  for (size_t set = 0; set < worth.size(); ++set) {
    for (size_t p = 0; p < players; ++p) {
      if ((set >> p & 1) != 0) continue;
      const double adds = worth[set | size_t{1} << p] - worth[set];
      by_player[p] += share[size_t(std::popcount(set))] * adds;
    }
  }
  for (double& each : by_player) each /= double(game.background.size());
  return by_player;
}

// An order of the players: order `way / 2` drawn for the background row, reversed if `way` is odd.
std::vector<size_t> OrderOf(const Game& game, int64_t background, int32_t way) {
  const Permutation order(0, way / 2, int32_t(background), int64_t(game.players.size()));
  std::vector<size_t> players(game.players.size());
  for (size_t k = 0; k < players.size(); ++k) players[k] = size_t(order.At(int64_t(k)));
  if (way % 2 == 1) std::ranges::reverse(players);
  return players;
}

// Adds the rows between a background row and the explained one, in the order of the players.
Status Walk(const Game& game, const Explained& of, int64_t background, int32_t way,
            Evaluations& rows) {
  const std::byte* const from = game.background.row(background);
  std::vector<std::byte> mixed(from, from + game.background.schema().width());
  const std::vector<size_t> order = OrderOf(game, background, way);
  for (size_t k = 0; k + 1 < order.size(); ++k) {
    game.players.Copy(order[k], of.row, mixed.data());
    PT_TRY(rows.Add(mixed.data()));
  }
  return Status::OK();
}

// Adds to each player what the output changes by in such a walk; `values` are its rows' outputs.
void Attribute(const Game& game, const Explained& of, int64_t background, int32_t way,
               std::span<const double> values, std::vector<double>& by_player) {
  const std::vector<size_t> order = OrderOf(game, background, way);
  double before = game.Base(background, of.output);
  for (size_t k = 0; k < order.size(); ++k) {
    const double after = k < values.size() ? values[k] : of.whole;
    by_player[order[k]] += after - before;
    before = after;
  }
}

Result<std::vector<double>> Sample(const Game& game, const Explained& of, Evaluations& rows) {
  const size_t players = game.players.size(), length = players - 1;
  const int64_t ways = 2 * int64_t(game.samples), walks = game.background.size() * ways;
  const auto together = std::max<int64_t>(1, kMostRemembered / int64_t(length));
  std::vector<double> by_player(players);
  for (int64_t begin = 0; begin < walks; begin += together) {
    const int64_t end = std::min(walks, begin + together);
    for (int64_t w = begin; w < end; ++w) {
      PT_TRY(Walk(game, of, w / ways, int32_t(w % ways), rows));
    }
    PT_LET(const std::vector<double> values, rows.Take());
    for (int64_t w = begin; w < end; ++w) {
      const auto own = std::span(values).subspan(size_t(w - begin) * length, length);
      Attribute(game, of, w / ways, int32_t(w % ways), own, by_player);
    }
  }
  for (double& each : by_player) each /= double(walks);
  return by_player;
}

Result<std::vector<float>> OutputsOf(const PackedRows& rows, int32_t width,
                                     const PredictPacked& predict) {
  std::vector<float> outputs(size_t(rows.size() * width));
  PT_TRY(predict(rows, outputs));
  return outputs;
}

std::vector<double> Means(const Game& game) {
  std::vector<double> means(size_t(game.width));
  for (int32_t o = 0; o < game.width; ++o) {
    for (int64_t b = 0; b < game.background.size(); ++b) means[size_t(o)] += game.Base(b, o);
    means[size_t(o)] /= double(game.background.size());
  }
  return means;
}

}  // namespace

Result<RowExplanations> SampleShapley(const PackedRows& rows, std::span<const int32_t> outputs,
                                      int32_t width, const ExplainBy& by,
                                      const PredictPacked& predict) {
  PT_LET(Players players, PlayersOf(by.background->schema(), by.sources));
  Game game{.background = *by.background,
            .players = std::move(players),
            .width = width,
            .samples = by.samples};
  PT_LET(game.base, OutputsOf(game.background, width, predict));
  PT_LET(const std::vector<float> whole, OutputsOf(rows, width, predict));
  RowExplanations out{.mean = Means(game)};
  out.by_feature.resize(size_t(rows.size()) * game.players.features);
  Evaluations evaluations(game.background.schema(), width, predict);
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int32_t output = outputs[size_t(i)];
    const Explained of{rows.row(i), whole[size_t(i * width + output)], output};
    evaluations.Choose(output);
    PT_LET(const std::vector<double> values, game.players.size() <= kMostEnumerated
                                                 ? Enumerate(game, of, evaluations)
                                                 : Sample(game, of, evaluations));
    double* const into = out.by_feature.data() + size_t(i) * game.players.features;
    for (size_t p = 0; p < values.size(); ++p) into[game.players.first[p]] = values[p];
  }
  return out;
}

Result<RowExplanations> ExplainPacked(const RowSchema& schema,
                                      std::span<const int64_t> cardinalities,
                                      const arrow::RecordBatch& batch,
                                      std::span<const int32_t> outputs, int32_t width,
                                      const ExplainBy& by, const PredictPacked& predict) {
  std::vector<std::byte> packed;
  PT_TRY(ForPackedRows(schema, cardinalities, batch, [&](const PackedRows& rows) {
    packed.insert(packed.end(), rows.row(0), rows.row(rows.size()));
    return Status::OK();
  }));
  const PackedRows rows(schema, packed.data(), batch.num_rows());
  return SampleShapley(rows, outputs, width, by, predict);
}

}  // namespace protium
