// SPDX-License-Identifier: Apache-2.0
// A thousand operations in an order that nobody chose, against a model in memory.
#include <map>
#include <optional>
#include <random>
#include <set>

#include "store/testing/store_fixture.h"

namespace protium {
namespace {

class StoreAgainstModel : public StoreTest {
 protected:
  static constexpr int kNames = 12;

  StoreAgainstModel() {
    StoreOptions options = Options();
    options.most_bytes = 4000;
    options.boot = boot_;
    store_ = OpenStore(options);
  }
  void Reopen() {
    leases_.clear();
    StoreOptions options = Options();
    options.most_bytes = 4000;
    options.boot = boot_;
    store_ = OpenStore(options);
  }
  std::string Pick() { return "object " + std::to_string(random_() % kNames); }
  static std::string TextFor(const std::string& name) {
    return std::string(200 + std::hash<std::string>()(name) % 700, name.back());
  }

  void MakeOne() {
    const std::string name = Pick();
    const Status made = Make(*store_, name, TextFor(name), {.seconds = double(random_() % 9)});
    if (made.ok()) {
      there_.insert(name);
    } else {
      EXPECT_EQ(FaultOf(made).exit, Exit::kNoRoom) << made.ToString();
    }
  }
  void TakeOne() {
    const std::string name = Pick();
    auto found = store_->Find(CauseOf(name)).ValueOrDie();
    if (found) leases_[name].emplace(std::move(*found));
  }
  void RemoveOne() {
    const std::string name = Pick();
    const bool expected = there_.contains(name) && !leases_.contains(name) && IsThere(name);
    EXPECT_EQ(store_->Remove(CauseOf(name)).ValueOrDie(), expected) << name;
    if (expected) there_.erase(name);
  }
  void DamageOne() {
    const std::string name = Pick();
    if (!IsThere(name) || leases_.contains(name)) return;
    std::fstream(PathOf(name) / "rows", std::ios::in | std::ios::out).put('!');
    EXPECT_FALSE(store_->Verify(CauseOf(name)).ValueOrDie());
    there_.erase(name);
  }
  bool IsThere(const std::string& name) { return std::filesystem::exists(PathOf(name)); }

  // An object may have given way, but none may appear, change, or go while it is read.
  void Check() {
    int64_t bytes = 0;
    for (int i = 0; i < kNames; ++i) {
      const std::string name = "object " + std::to_string(i);
      if (!IsThere(name)) there_.erase(name);
      EXPECT_EQ(IsThere(name), there_.contains(name)) << name;
      EXPECT_TRUE(!leases_.contains(name) || IsThere(name)) << name;
      if (!IsThere(name)) continue;
      EXPECT_EQ(ReadFile(PathOf(name) / "rows").ValueOrDie(), TextFor(name));
      bytes += int64_t(TextFor(name).size());
    }
    EXPECT_LE(bytes, 4000);
  }

  std::mt19937 random_{7};
  std::string boot_ = "boot 0";
  std::unique_ptr<LocalStore> store_;
  std::set<std::string> there_;
  std::map<std::string, std::optional<StoredObject>> leases_;
};

TEST_F(StoreAgainstModel, AgreesAfterAThousandOperations) {
  for (int i = 0; i < 1000 && !HasFailure(); ++i) {
    switch (random_() % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
        MakeOne();
        break;
      case 4:
        TakeOne();
        break;
      case 5:
        leases_.clear();
        break;
      case 6:
        RemoveOne();
        break;
      case 7:
        DamageOne();
        break;
      case 8:
        ASSERT_TRUE(store_->GiveWay(int64_t(random_() % 900)).ok());
        break;
      default:
        boot_ = "boot " + std::to_string(i);
        Reopen();
    }
    Check();
  }
  leases_.clear();
  ASSERT_TRUE(store_->Reindex().ok());
  EXPECT_EQ(store_->List().size(), there_.size());
  EXPECT_TRUE(notes_.empty());
}

}  // namespace
}  // namespace protium
