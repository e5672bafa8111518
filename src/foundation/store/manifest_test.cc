// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/fault.h"
#include "store/blocks.h"

namespace protium {
namespace {

Manifest Example() {
  Manifest manifest{.kind = "table", .run = "flights-1", .causes = {{"plan", "scan"}}};
  manifest.cause = CauseName(manifest.kind, manifest.causes);
  manifest.parts = {{"rows", 5, {std::string(32, 'a')}},
                    {"more", kBlockBytes + 1, {std::string(32, 'b'), std::string(32, 'c')}}};
  manifest.bytes = kBlockBytes + 6;
  manifest.inputs = {{"/data/flights.csv", std::string(32, 'd')}};
  return manifest;
}

TEST(Manifest, ComesBackAsItWasWritten) {
  const Manifest before = Example();
  const Manifest after = ParseManifest(WriteManifest(before), before.cause).ValueOrDie();
  EXPECT_EQ(WriteManifest(after), WriteManifest(before));
}

TEST(Manifest, WhatDoesNotFitIsRefused) {
  const std::vector<std::function<void(Manifest&)>> damages = {
      [](Manifest& m) { m.format = 1; },
      [](Manifest& m) { m.bytes = 7; },
      [](Manifest& m) { m.bytes = -1; },
      [](Manifest& m) { m.seconds = -1; },
      [](Manifest& m) { m.kind = "weights"; },
      [](Manifest& m) { m.causes["plan"] = "another"; },
      [](Manifest& m) { m.parts[0].name = "../rows"; },
      [](Manifest& m) { m.parts[0].name = ".rows"; },
      [](Manifest& m) { m.parts[0].name = "manifest.json"; },
      [](Manifest& m) { m.parts[0].name = "more"; },
      [](Manifest& m) { m.parts[0].bytes = -5; },
      [](Manifest& m) { m.parts[0].blocks.clear(); },
      [](Manifest& m) { m.parts[0].blocks[0] = "A" + std::string(31, 'a'); },
      [](Manifest& m) { m.parts[1].bytes = INT64_MAX; },
  };
  for (size_t i = 0; i < damages.size(); ++i) {
    Manifest manifest = Example();
    const std::string cause = manifest.cause;
    damages[i](manifest);
    const auto read = ParseManifest(WriteManifest(manifest), cause);
    EXPECT_EQ(FaultOf(read.ok() ? Status::UnknownError("read") : read.status()).exit, Exit::kInput)
        << i;
  }
}

TEST(Manifest, NoBitOfItMayChange) {
  const Manifest manifest = Example();
  const std::string text = WriteManifest(manifest);
  // The line break at the end is nobody's.
  for (size_t bit = 0; bit < 8 * (text.size() - 1); ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = char(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(ParseManifest(flipped, manifest.cause).ok()) << bit << " " << flipped;
  }
}

TEST(Manifest, CausesOfOtherKindsHaveOtherNames) {
  EXPECT_NE(CauseName("table", {{"a", 1}}), CauseName("profile", {{"a", 1}}));
  EXPECT_TRUE(IsHexName(CauseName("table", {}), 64));
  EXPECT_FALSE(IsHexName("0A", 2));
}

}  // namespace
}  // namespace protium
