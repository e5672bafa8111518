// SPDX-License-Identifier: Apache-2.0
#include "model/model_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

#include "base/fault.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ModelFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "model-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    scratch_ = pattern;
    model_ = scratch_ / "model";
    std::ofstream(scratch_ / "w") << "weights";
    files_.weights_sha256 = "abc";
    files_.weights = scratch_ / "w";
    for (const char* name : {"pipeline.json", "stages.json", "schema.json"}) {
      files_.json[name] = {{"name", name}};
    }
    const Status written = WriteModelFolder(model_, files_);
    ASSERT_TRUE(written.ok()) << written;
  }
  void TearDown() override { fs::remove_all(scratch_); }

  Fault FaultOfReading() { return FaultOf(ReadModelFolder(model_).status()); }
  size_t Entries() {
    return size_t(std::distance(fs::directory_iterator(scratch_), fs::directory_iterator()));
  }

  fs::path scratch_, model_;
  ModelFiles files_;
};

TEST_F(ModelFolder, GivesBackWhatWasWritten) {
  const auto read = ReadModelFolder(model_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->weights_sha256, "abc");
  EXPECT_EQ(read->json, files_.json);
  EXPECT_EQ(fs::file_size(read->weights), 7u);
}

TEST_F(ModelFolder, ReplacesAnEarlierModelAndLeavesNothingElse) {
  files_.json["stages.json"] = {{"new", true}};
  ASSERT_TRUE(WriteModelFolder(model_, files_).ok());
  EXPECT_EQ(ReadModelFolder(model_)->json.at("stages.json"), Json({{"new", true}}));
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(ModelFolder, NeverReplacesWhatIsNoModel) {
  fs::create_directory(scratch_ / "mine");
  std::ofstream(scratch_ / "mine" / "letter") << "dear";
  EXPECT_FALSE(WriteModelFolder(scratch_ / "mine", files_).ok());
  EXPECT_TRUE(fs::exists(scratch_ / "mine" / "letter"));
}

// TensorFlow.js uses this file name.
TEST_F(ModelFolder, NeverReplacesAModelOfAnotherProgram) {
  fs::create_directory(scratch_ / "theirs");
  std::ofstream(scratch_ / "theirs" / "model.json") << R"({"format": "layers-model"})";
  std::ofstream(scratch_ / "theirs" / "group1-shard1of1.bin") << "weights";
  const Fault fault = FaultOf(WriteModelFolder(scratch_ / "theirs", files_));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_THAT(fault.why, HasSubstr("not from a protium model"));
  EXPECT_TRUE(fs::exists(scratch_ / "theirs" / "group1-shard1of1.bin"));
}

TEST_F(ModelFolder, NeverRemovesAFileThatWasPutBesideAModel) {
  std::ofstream(model_ / "notes.txt") << "dear";
  EXPECT_THAT(FaultOf(WriteModelFolder(model_, files_)).why, HasSubstr("notes.txt"));
  EXPECT_TRUE(fs::exists(model_ / "notes.txt"));
  EXPECT_TRUE(ReadModelFolder(model_).ok());
}

TEST_F(ModelFolder, FollowsALink) {
  fs::create_directory_symlink("model", scratch_ / "newest");
  files_.json["stages.json"] = {{"new", true}};
  ASSERT_TRUE(WriteModelFolder(scratch_ / "newest", files_).ok());
  EXPECT_EQ(ReadModelFolder(model_)->json.at("stages.json"), Json({{"new", true}}));
  EXPECT_TRUE(fs::is_symlink(scratch_ / "newest"));
}

TEST_F(ModelFolder, KeepsTheEarlierModelWhenWritingFails) {
  files_.weights = scratch_ / "nowhere";
  EXPECT_FALSE(WriteModelFolder(model_, files_).ok());
  EXPECT_TRUE(ReadModelFolder(model_).ok());
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(ModelFolder, NamesAFileThatIsDamaged) {
  for (const char* name : {"pipeline.json", "weights.safetensors", "model.json"}) {
    ASSERT_TRUE(WriteModelFolder(model_, files_).ok());
    fs::resize_file(model_ / name, fs::file_size(model_ / name) / 2);
    const Fault fault = FaultOfReading();
    EXPECT_EQ(fault.exit, Exit::kInput);
    EXPECT_THAT(fault.what, HasSubstr(name));
    EXPECT_THAT(fault.what, HasSubstr("damaged"));
    fs::remove(model_ / "model.json");
    fs::remove_all(model_);
  }
}

TEST_F(ModelFolder, NamesAFileThatIsMissing) {
  fs::remove(model_ / "stages.json");
  EXPECT_THAT(FaultOfReading().what, HasSubstr("stages.json is missing"));
}

TEST_F(ModelFolder, RefusesOthersAndOtherVersions) {
  std::ofstream(model_ / "model.json") << R"({"format": "onnx"})";
  EXPECT_THAT(FaultOfReading().what, HasSubstr("not from a protium model"));
  std::ofstream(model_ / "model.json") << R"({"format": "protium-model", "version": 4})";
  EXPECT_THAT(FaultOfReading().what, HasSubstr("version 4"));
  EXPECT_THAT(FaultOf(ReadModelFolder(scratch_).status()).what, HasSubstr("not a model folder"));
  EXPECT_EQ(FaultOf(ReadModelFolder(scratch_ / "x").status()).exit, Exit::kInput);
}

TEST_F(ModelFolder, ReadsNothingOutsideItself) {
  std::ofstream(model_ / "model.json")
      << R"({"format": "protium-model", "version": 1, "files": {"../w": "00"}})";
  EXPECT_THAT(FaultOfReading().what, HasSubstr("model.json is damaged"));
}

}  // namespace
}  // namespace protium
