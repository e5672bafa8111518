// SPDX-License-Identifier: Apache-2.0
// A bit flips anywhere in the file of the index: whatever it said, nothing wrong is found, and the
// store goes on.
#include "store/testing/store_fixture.h"

namespace protium {
namespace {

namespace fs = std::filesystem;

class FlippedIndexTest : public StoreTest {
 protected:
  static constexpr int64_t kHour = 3'600'000'000'000;
  static int64_t InAnHour() { return InputHashes::SystemNow() + kHour; }

  void SetUp() override {
    ASSERT_TRUE(WriteFile(input_, "an input").ok());
    {
      const auto store = OpenStore();
      ASSERT_TRUE(Make(*store, "a", "rows of a", {.content = "c", .seconds = 1}).ok());
      ASSERT_TRUE(Make(*store, "b", "rows of b", {.seconds = 9}).ok());
      store->Remember("a question", "an answer");
    }
    bool fresh = false;
    const auto index = StoreIndex::Open(file_, fresh).ValueOrDie();
    hash_ = InputHashes(*index, InAnHour).Hash(input_).ValueOrDie().hash;
  }
  // What an index says by itself; what cannot be asked is asked of the folders.
  void AskIndex() {
    bool fresh = false;
    const auto index = StoreIndex::Open(file_, fresh);
    ASSERT_TRUE(index.ok()) << index.status();
    const auto answer = (*index)->Answer("a question").ValueOr(std::nullopt);
    EXPECT_TRUE(!answer || *answer == "an answer") << *answer;
    EXPECT_EQ(InputHashes(**index, InAnHour).Hash(input_).ValueOrDie().hash, hash_);
  }
  void UseStore() {
    const auto store = OpenStore();
    EXPECT_EQ(TextOf(*store, "a"), "rows of a");
    const Status made = Make(*store, "new", "rows of new");
    EXPECT_TRUE(made.ok()) << made;
    for (const char* name : {"a", "b", "new"}) {
      EXPECT_EQ(TextOf(*store, name), std::string("rows of ") + name);
    }
    const auto same = store->FindContent("table", "c");
    EXPECT_TRUE(!same.ok() || !*same || (*same)->manifest().cause == CauseOf("a"));
    EXPECT_TRUE(store->Remove(CauseOf("new")).ok());
    EXPECT_EQ(TextOf(*store, "new"), "none");
  }

  const fs::path input_ = folder_.path() / "input";
  const fs::path file_ = Options().folder / "index.sqlite";
  std::string hash_;
};

TEST_F(FlippedIndexTest, NeverGivesAWrongAnswerAndTheStoreGoesOn) {
  constexpr size_t kEvery = 5;
  const std::string sound = ReadFile(file_).ValueOrDie();
  size_t used = 0;  // Bytes so far that are not zero.
  for (size_t at = 0; at < sound.size() && !HasFailure(); ++at) {
    if (sound[at] == 0 || ++used % kEvery != 0) continue;
    for (const char* more : {"-wal", "-shm"}) fs::remove(file_.string() + more);
    std::string bytes = sound;
    bytes[at] = char(bytes[at] ^ (1 << used / kEvery % 8));
    std::ofstream(file_, std::ios::binary) << bytes;
    SCOPED_TRACE(at);
    AskIndex();
    UseStore();
  }
  EXPECT_GT(used, 1000u);
  EXPECT_TRUE(notes_.empty()) << notes_.front();
}

}  // namespace
}  // namespace protium
