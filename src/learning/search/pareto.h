// SPDX-License-Identifier: Apache-2.0
// Several losses at once, of which less is better: who is better in all of them, and how much is
// gained by whom.
//
// 1. A dominates B if it is worse in none and better in one. Rank 0 is the front, those that nobody
//    dominates; rank 1 the front without them, and so on (Deb and others, 2002).
// 2. The hypervolume of points is what they dominate up to a reference point, which is a tenth
//    behind the worst of each loss, as in Optuna.
// 3. Of a rank that is not taken whole those are taken one by one that add most to the hypervolume
//    of those taken of it (Guerreiro and others, 2021), of equal gains the one that is first by its
//    losses, as in Optuna's multi-objective TPE.
//
// All losses are finite. Sums run in a fixed order, so the bits are the same on every machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace protium {

using Losses = std::vector<double>;

bool Dominates(const Losses& a, const Losses& b);

// The indices of those that nobody dominates, in their order; equal ones are all among them.
std::vector<size_t> FrontOf(std::span<const Losses> all);

// The point that a hypervolume is measured to: a tenth behind the worst of each loss. `all` is not
// empty.
Losses ReferenceOf(std::span<const Losses> all);

// The volume between the points and `reference`, which is worse than each of them in each loss.
double Hypervolume(std::vector<Losses> points, const Losses& reference);

// The indices of the best `count` by rank, ordered by index.
std::vector<size_t> BestRanked(std::span<const Losses> all, size_t count);

// The index of the one that is nearest to the best of each loss at once, when the losses of the
// front are scaled to 0 to 1; of equally near ones the first. `all` is a front, and not empty.
size_t KneeOf(std::span<const Losses> all);

}  // namespace protium
