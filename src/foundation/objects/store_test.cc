// SPDX-License-Identifier: Apache-2.0
#include "objects/store.h"

#include <arrow/filesystem/localfs.h>
#include <arrow/io/interfaces.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/fault.h"
#include "os/file.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

// A file as stores give it: its size is of the time when it was opened, its bytes are those of the
// time when they are read.
class ObjectFile : public arrow::io::RandomAccessFile {
 public:
  ObjectFile(fs::path path, int64_t bytes) : path_(std::move(path)), bytes_(bytes) {}

  arrow::Result<int64_t> GetSize() override { return bytes_; }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t from, int64_t bytes) override {
    const std::string text = ReadFile(path_).ValueOr("");
    return arrow::Buffer::FromString(text.substr(size_t(from), size_t(bytes)));
  }
  arrow::Result<int64_t> ReadAt(int64_t, int64_t, void*) override { return Unused(); }
  arrow::Result<int64_t> Read(int64_t, void*) override { return Unused(); }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t) override { return Unused(); }
  arrow::Result<int64_t> Tell() const override { return Unused(); }
  arrow::Status Seek(int64_t) override { return Unused(); }
  arrow::Status Close() override { return arrow::Status::OK(); }
  bool closed() const override { return false; }

 private:
  static arrow::Status Unused() { return arrow::Status::NotImplemented("only ReadAt() is used"); }

  const fs::path path_;
  const int64_t bytes_;
};

// A store whose object "text" is replaced right after it has been opened, as `writes` says.
class Busy : public arrow::fs::LocalFileSystem {
 public:
  Busy(fs::path folder, std::vector<std::string> writes)
      : folder_(std::move(folder)), writes_(std::move(writes)) {}

  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string& path) override {
    ARROW_ASSIGN_OR_RAISE(const auto file, arrow::fs::LocalFileSystem::OpenInputFile(path));
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, file->GetSize());
    if (next_ < writes_.size()) std::ofstream(folder_ / "text") << writes_[next_++];
    return std::make_shared<ObjectFile>(path, bytes);
  }

 private:
  const fs::path folder_;
  const std::vector<std::string> writes_;
  size_t next_ = 0;
};

class ObjectStores : public testing::Test {
 protected:
  Result<std::optional<std::string>> TextWhile(const std::vector<std::string>& writes) const {
    std::ofstream(scratch_.path() / "text") << "first";
    const auto store = ObjectStore::Over(ObjectPlace::Parse("s3://lake/runs").ValueOrDie(),
                                         std::make_shared<Busy>(scratch_.path(), writes),
                                         scratch_.path().string());
    return store->GetText("text", 100);
  }

  const TemporaryFolder scratch_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(ObjectStores, TextsAreOfOneMomentWhileOthersReplaceThem) {
  EXPECT_EQ(TextWhile({}).ValueOrDie(), "first");
  EXPECT_EQ(TextWhile({"a longer second"}).ValueOrDie(), "a longer second");
  EXPECT_EQ(TextWhile({"2"}).ValueOrDie(), "2");
  EXPECT_EQ(TextWhile({""}).ValueOrDie(), "");
  EXPECT_EQ(TextWhile({"a longer second", "3", "the fourth"}).ValueOrDie(), "the fourth");
}

TEST_F(ObjectStores, TextsThatNeverRestAreAFault) {
  std::vector<std::string> writes;
  for (size_t i = 0; i < 20; ++i) writes.emplace_back(i + 1, 'x');
  const Fault fault = FaultOf(TextWhile(writes).status());
  EXPECT_EQ(fault.exit, Exit::kRemote);
  EXPECT_NE(Render(fault).find("replaced faster than it can be read"), std::string::npos)
      << Render(fault);
}

TEST_F(ObjectStores, TextsOverTheCapAreRefused) {
  EXPECT_FALSE(TextWhile({"longer", std::string(101, 'x')}).ok());
  EXPECT_EQ(TextWhile({std::string(100, 'x')}).ValueOrDie(), std::string(100, 'x'));
}

}  // namespace
}  // namespace protium
