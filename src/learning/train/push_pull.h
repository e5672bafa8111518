// SPDX-License-Identifier: Apache-2.0
// What workers and servers write to each other where steps are made apart (server_round.h).
//
// 1. A worker pulls: of each server the rows of its piece, of the first one also all weights that
//    are no table of ids, and buffers.
// 2. It pushes: to each server the gradient of that server's rows, to the first one also all the
//    rest, and buffers as the piece has left them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "train/optimizer.h"
#include "train/pieces.h"
#include "train/served_tables.h"
#include "train/step_leaf.h"

namespace protium {

enum class AskKind : int32_t {
  kTake,  // A piece; nothing is pushed.
  kPull,
  kPush,  // To the first server: and take a piece.
  kEnd,   // The worker has come to the round's end; it gets no answer.
};

// What each letter to a server begins with.
struct Ask {
  AskKind kind = AskKind::kTake;
  StepFlags flags;
  bool moves = false;  // It has a gradient: its rows have some weight.
  Piece piece;         // That is pulled for or pushed.
  // Of a push: as in Gradient and StepResult, and Granted::version when its weights were pulled.
  float divisor = 1;
  float factor = 1;
  float limit = 0;
  double rate = 1;
  double loss = 0;
  double weight = 0;
  int64_t rows = 0;
  int64_t version = 0;
};

// What the first server answers to kTake and kPush; others answer to the latter without words.
struct Granted {
  bool over = false;  // There is no further piece in this round.
  Piece piece;
  // Of the round so far.
  int64_t steps_done = 0;
  double loss = 0;  // Times its weight.
  double weight = 0;
  int64_t rows = 0;
};

// A push as its server reads it.
struct Pushed {
  std::vector<SummedRows> tables;
  std::span<const float> whole;  // Zeros but on the first server.
  std::vector<float> defined;    // 0 of what this server does not move.
};

// Of one rank; one thread. Borrows all that it is made of.
class PushPull {
 public:
  // Collective.
  static Result<PushPull> Make(ServedTables& served, Optimizer& optimizer,
                               Communicator& communicator);
  // Of the letters from a worker to a server and back.
  int64_t MostAskBytes(int32_t server) const;
  int64_t MostAnswerBytes(int32_t server) const;

  // On a worker, for the rows of the last ServedTables::Expect().
  void Sort();
  int64_t WritePull(int32_t server, const Ask& ask, std::span<std::byte> box) const;
  Status ReadPulled(int32_t server, std::span<const std::byte> letter, int64_t& version);
  int64_t WritePush(int32_t server, const Ask& ask, const GradientSum& sum,
                    std::span<const float> defined, std::span<std::byte> box);

  // On a server. `version`: for the worker to repeat in its push.
  static Result<Ask> ReadAsk(std::span<const std::byte> letter);
  Result<int64_t> WritePulled(std::span<const std::byte> letter, int64_t version,
                              std::span<std::byte> box);
  Result<Pushed> ReadPush(std::span<const std::byte> letter);

 private:
  // A row of a worker's net, and its number at its server.
  struct Wanted {
    int64_t row = 0;
    int32_t slot = 0;
  };
  PushPull(ServedTables& served, Optimizer& optimizer) : served_(served), optimizer_(optimizer) {}
  bool first() const { return served_.serves() && served_.own() == 0; }
  int64_t OtherFloats() const;
  float* RowOf(size_t table, int64_t row);

  ServedTables& served_;
  Optimizer& optimizer_;
  std::vector<int64_t> room_;  // By column: the most rows that any worker asks for.
  // By server and column, by ascending row.
  std::vector<std::vector<std::vector<Wanted>>> wanted_;
  std::vector<int32_t> at_;  // By slot, where a table's row is among the sums; -1: nowhere.
  std::vector<float> zeros_;
};

}  // namespace protium
