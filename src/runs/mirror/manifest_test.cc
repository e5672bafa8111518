// SPDX-License-Identifier: Apache-2.0
#include "mirror/manifest.h"

#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {

namespace {

RunManifest Small() {
  const std::string sha(64, 'a');
  return {
      .attempt = 2,
      .token = "k3x9",
      .sequence = 7,
      .time = "2026-11-26T17:00:00.000Z",
      .files = {{.path = "model/model.json",
                 .parts = {{.object = "000002-k3x9/model/model.json", .bytes = 3, .sha256 = sha}}},
                {.path = "logs/rank-000.log", .parts = {}}}};
}

}  // namespace

TEST(Manifests, AreReadAsTheyWereWritten) {
  const RunManifest read = *ReadManifest(ManifestText(Small()), "s3://b/m");
  EXPECT_EQ(ManifestText(read), ManifestText(Small()));
  EXPECT_EQ(read.files[0].bytes(), 3);
  EXPECT_EQ(read.files[1].bytes(), 0);
}

TEST(Manifests, ThatAreDamagedAreNamed) {
  const std::string text = ManifestText(Small());
  for (const std::string& bad :
       {std::string("{}"), text.substr(0, text.size() / 2), std::string("[]"), std::string()}) {
    const Status status = ReadManifest(bad, "s3://b/m").status();
    EXPECT_EQ(FaultOf(status).exit, Exit::kInput) << bad;
    EXPECT_NE(FaultOf(status).what.find("s3://b/m"), std::string::npos);
  }
}

TEST(Manifests, ThatNameFilesOutsideTheRunAreRefused) {
  for (const char* path : {"../x", "/etc/passwd", "a//b", "a/..", "", ".", "lock", "a\nb"}) {
    RunManifest manifest = Small();
    manifest.files[0].path = path;
    EXPECT_FALSE(ReadManifest(ManifestText(manifest), "m").ok()) << path;
  }
  RunManifest manifest = Small();
  manifest.files[0].parts[0].object = "../other-run/model.json";
  EXPECT_FALSE(ReadManifest(ManifestText(manifest), "m").ok());
}

TEST(Manifests, TellEqualContentsByTheirParts) {
  const std::string a(64, 'a'), b(64, 'b');
  const MirroredFile one{.parts = {{.bytes = 1, .sha256 = a}}};
  const MirroredFile two{.parts = {{.bytes = 1, .sha256 = a}, {.bytes = 1, .sha256 = b}}};
  EXPECT_EQ(one.ContentId(), a);
  EXPECT_NE(two.ContentId(), one.ContentId());
}

}  // namespace protium
