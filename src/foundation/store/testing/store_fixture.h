// SPDX-License-Identifier: Apache-2.0
// Stores in a folder of the test's own, and objects to put into them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "os/file.h"
#include "os/temporary_folder.h"
#include "store/local_store.h"

namespace protium {

class StoreTest : public testing::Test {
 protected:
  StoreTest() : folder_(TemporaryFolder::Make().ValueOrDie()) {}

  StoreOptions Options() {
    return {.folder = folder_.path() / "store",
            .most_bytes = 1 << 30,
            .free_share = 0,
            .boot = "this boot",
            .note = [this](const std::string& text) { notes_.push_back(text); }};
  }
  std::unique_ptr<LocalStore> OpenStore(StoreOptions options) {
    return LocalStore::Open(std::move(options)).ValueOrDie();
  }
  std::unique_ptr<LocalStore> OpenStore() { return OpenStore(Options()); }

  static DraftRequest Request(const std::string& name) {
    return {.kind = "table", .causes = {{"name", name}}, .run = "run of " + name};
  }
  static std::string CauseOf(const std::string& name) {
    return CauseName("table", {{"name", name}});
  }
  static Call Soon() {
    Call call;
    call.deadline = Clock::now() + std::chrono::seconds(20);
    return call;
  }
  // Makes an object of one part, or finds it.
  static Status Make(LocalStore& store, const std::string& name, const std::string& text,
                     const DraftFacts& facts = {.seconds = 1}) {
    PT_LET(FoundOrDraft begun, store.FindOrBegin(Request(name), Soon()));
    auto* const draft = std::get_if<Draft>(&begun);
    if (draft == nullptr) return Status::OK();
    PT_LET(const UniqueFd part, draft->AddPart("rows", int64_t(text.size())));
    if (::pwrite(part.get(), text.data(), text.size(), 0) != ssize_t(text.size())) {
      return SystemFault("write a part", errno);
    }
    return draft->Commit(facts).status();
  }
  // The text of an object; "none" if there is none.
  static std::string TextOf(LocalStore& store, const std::string& name) {
    const auto found = store.Find(CauseOf(name)).ValueOrDie();
    return found ? ReadFile(found->Path("rows")).ValueOrDie() : "none";
  }
  std::filesystem::path PathOf(const std::string& name) {
    const std::string cause = CauseOf(name);
    return Options().folder / "objects" / cause.substr(0, 2) / cause;
  }
  static int CountIn(const std::filesystem::path& folder) {
    int count = 0;
    for (const auto& each : std::filesystem::directory_iterator(folder)) {
      (void)each;
      ++count;
    }
    return count;
  }

  TemporaryFolder folder_;
  std::vector<std::string> notes_;
};

}  // namespace protium
