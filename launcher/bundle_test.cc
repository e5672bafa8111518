// SPDX-License-Identifier: Apache-2.0
// Takes bundles from the driver's side to a running program.
#include "spark/ship/bundle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "launcher/clock.h"
#include "launcher/test_bundle.h"
#include "launcher/test_jvm.h"
#include "os/file.h"
#include "os/library.h"
#include "spark_worker/bundle_format.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

fs::path TestWorker() { return OwnLibraryFolder().parent_path() / "bin" / "launcher-test-worker"; }

// Shared by all tests, packed once.
class BundleRunTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cache_ = new TemporaryFolder(TemporaryFolder::Make().ValueOrDie());
    launcher_ = new Launcher(FindLauncher().ValueOrDie());
    program_ = new Bundle(MakeProgramBundle(TestWorker(), cache_->path()).ValueOrDie());
  }
  static void TearDownTestSuite() {
    delete cache_;
    delete launcher_;
    delete program_;
  }
  void SetUp() override {
    for (const char* name : {"session", "local", "other"}) fs::create_directory(Path(name));
    launcher_path_ = "./" + LauncherName(*launcher_, *program_, nullptr);
    fs::copy_file(launcher_->file, Path("session") / launcher_path_);
  }
  fs::path Path(const std::string& name) const { return folder_.path() / name; }
  // Puts the bundle where Spark puts artifacts.
  fs::path Upload() const {
    const fs::path file = Path("session") / (kBundlePrefix + program_->hash);
    fs::copy_file(program_->file, file);
    return file;
  }
  fs::path Kept(const std::string& local = "local") const {
    return Path(local) / ("protium-" + std::to_string(::geteuid())) / "bundles";
  }
  JvmOptions Options() const {
    return {
        .launcher = launcher_path_,
        .folder = Path("session"),
        .environment = {{"PATH", "/usr/bin:/bin"}, {"SPARK_LOCAL_DIRS", Path("local").string()}}};
  }
  // What the launcher reports instead of running the program.
  std::string Refusal() const {
    auto jvm = MockJvm::Start(Options());
    if (jvm == nullptr) return "it does not start";
    auto worker = jvm->Connect();
    return worker.has_value() ? worker->ReadRefusal() : "it does not serve";
  }

  static TemporaryFolder* cache_;
  static Launcher* launcher_;
  static Bundle* program_;
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
  std::string launcher_path_;
};

TemporaryFolder* BundleRunTest::cache_ = nullptr;
Launcher* BundleRunTest::launcher_ = nullptr;
Bundle* BundleRunTest::program_ = nullptr;

// The files that a program has mapped into memory.
std::vector<std::string> MappedFiles(const std::string& maps) {
  std::vector<std::string> files;
  std::istringstream lines(maps);
  for (std::string line; std::getline(lines, line);) {
    if (const size_t path = line.find('/'); path != std::string::npos) {
      files.push_back(line.substr(path));
    }
  }
  return files;
}

TEST_F(BundleRunTest, AMissingBundleIsAskedFor) {
  EXPECT_EQ(Refusal(), std::string(kNeedsBundle) + " " + program_->hash);
}

TEST_F(BundleRunTest, AllMissingBundlesAreAskedForAtOnce) {
  const std::string other(kHashDigits, 'a');
  const std::string name = launcher_path_ + "." + other;
  fs::rename(Path("session") / launcher_path_, Path("session") / name);
  launcher_path_ = name;
  EXPECT_EQ(Refusal(), std::string(kNeedsBundle) + " " + program_->hash + " " + other);
  Upload();
  EXPECT_EQ(Refusal(), std::string(kNeedsBundle) + " " + other);
}

TEST_F(BundleRunTest, TheProgramRunsOnItsOwnLibrariesOnly) {
  Upload();
  JvmOptions options = Options();
  options.environment["LD_LIBRARY_PATH"] = "/nowhere";
  options.environment["LD_PRELOAD"] = "/nowhere/libjemalloc.so";
  auto jvm = MockJvm::Start(options);
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_EQ(worker->Ask("pid"), std::to_string(worker->pid()));
  EXPECT_FALSE(worker->Ask("host").empty());
  const auto files = MappedFiles(worker->Ask("maps"));
  EXPECT_GT(files.size(), 10U);
  for (const std::string& file : files) {
    EXPECT_THAT(file, StartsWith((Kept() / program_->hash).string()));
  }
}

TEST_F(BundleRunTest, AnUnpackedBundleServesLaterSessions) {
  const fs::path uploaded = Upload();
  {
    auto jvm = MockJvm::Start(Options());
    ASSERT_NE(jvm, nullptr);
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    EXPECT_FALSE(worker->Ask("pid").empty());
  }
  fs::remove(uploaded);
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_FALSE(worker->Ask("pid").empty());
}

TEST_F(BundleRunTest, WorkersThatStartTogetherUnpackOnce) {
  Upload();
  auto one = MockJvm::Start(Options()), other = MockJvm::Start(Options());
  ASSERT_TRUE(one != nullptr && other != nullptr);
  std::vector<WorkerLink> workers;
  for (int i = 0; i < 3; ++i) {
    for (MockJvm* jvm : {one.get(), other.get()}) {
      auto worker = jvm->Connect();
      ASSERT_TRUE(worker.has_value());
      workers.push_back(*std::move(worker));
    }
  }
  for (WorkerLink& worker : workers) {
    EXPECT_EQ(worker.Ask("pid"), std::to_string(worker.pid()));
  }
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Kept())) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre(program_->hash, program_->hash + ".lock"));
}

TEST_F(BundleRunTest, AWorkerKilledWhileItUnpacksLeavesNothingThatStays) {
  Upload();
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto first = jvm->Connect();
  ASSERT_TRUE(first.has_value());
  const fs::path half = Kept() / (program_->hash + ".new");
  while (!fs::exists(half) && !fs::exists(Kept() / program_->hash)) launcher::Sleep(1);
  jvm->KillWorker(first->pid());
  auto second = jvm->Connect();
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->Ask("pid"), std::to_string(second->pid()));
  EXPECT_FALSE(fs::exists(half));
}

TEST_F(BundleRunTest, ADamagedUnpackedBundleIsUnpackedAgain) {
  Upload();
  for (int round = 0; round < 2; ++round) {
    auto jvm = MockJvm::Start(Options());
    ASSERT_NE(jvm, nullptr);
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    EXPECT_FALSE(worker->Ask("pid").empty()) << round;
    jvm->CloseStdin();
    EXPECT_TRUE(jvm->WaitForEnd(1000).has_value());
    fs::remove(Kept() / program_->hash / "lib" / "libc.so.6");
  }
}

TEST_F(BundleRunTest, ADamagedUploadIsNamed) {
  const fs::path file = Upload();
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(program_->bytes / 2));
  bytes.write("damaged", 7);
  bytes.close();
  const std::string refusal = Refusal();
  EXPECT_THAT(refusal, HasSubstr(kBundlePrefix + program_->hash + " is damaged"));
  EXPECT_THAT(refusal, Not(HasSubstr("\n")));
  EXPECT_FALSE(fs::exists(Kept() / (program_->hash + ".new")));
}

TEST_F(BundleRunTest, AFolderThatIsNotTheOwnersAloneIsPassedOver) {
  Upload();
  fs::create_directory_symlink(Path("other"), Kept().parent_path());
  auto jvm = MockJvm::Start(Options());
  ASSERT_NE(jvm, nullptr);
  auto worker = jvm->Connect();
  ASSERT_TRUE(worker.has_value());
  EXPECT_FALSE(worker->Ask("pid").empty());
  EXPECT_TRUE(fs::is_empty(Path("other")));
  EXPECT_TRUE(fs::exists(Kept("session") / program_->hash));
}

TEST_F(BundleRunTest, AnotherKindOfProcessorIsTold) {
  const RawBundle bundle =
      AssembleBundle(BundleHead(1, "sse3 quantum9") + BundleLine("bin/program", "a", 'x'), "a");
  std::ofstream(Path("session") / (kBundlePrefix + bundle.hash), std::ios::binary) << bundle.bytes;
  const std::string name = LauncherName(*launcher_, {.hash = bundle.hash}, nullptr);
  fs::rename(Path("session") / launcher_path_, Path("session") / name);
  launcher_path_ = "./" + name;
  EXPECT_THAT(Refusal(), HasSubstr("processor lacks quantum9"));
}

// Runs `body` with a file system with these options mounted at `target`; false if that is not
// allowed here. The mount is private to this process and ends with it.
bool WithMount(const fs::path& target, unsigned long flags, const char* options,
               const std::function<void()>& body) {
  bool mounted = false;
  std::thread([&] {
    mounted = ::unshare(CLONE_FS | CLONE_NEWNS) == 0 &&
              ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              ::mount("none", target.c_str(), "tmpfs", flags, options) == 0;
    if (mounted) body();
  }).join();
  return mounted;
}

TEST_F(BundleRunTest, ANoexecFolderIsPassedOverForTheSessions) {
  Upload();
  const bool mounted = WithMount(Path("local"), MS_NOEXEC, "size=200m", [&] {
    auto jvm = MockJvm::Start(Options());
    ASSERT_NE(jvm, nullptr);
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    EXPECT_FALSE(worker->Ask("pid").empty());
    EXPECT_TRUE(fs::exists(Kept("session") / program_->hash));
  });
  if (!mounted) GTEST_SKIP() << "mounting is not allowed here";
}

TEST_F(BundleRunTest, NoFolderThatCanHoldTheProgramIsToldWithAllReasons) {
  launcher_path_ = Path("session") / launcher_path_;
  const bool mounted = WithMount(Path("local"), MS_NOEXEC, "size=200m", [&] {
    fs::copy_file(program_->file, Path("local") / (kBundlePrefix + program_->hash));
    JvmOptions options = Options();
    options.folder = Path("local");
    options.environment["SPARK_LOCAL_DIRS"] = "/proc," + Path("local").string();
    auto jvm = MockJvm::Start(options);
    ASSERT_NE(jvm, nullptr);
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    const std::string refusal = worker->ReadRefusal();
    EXPECT_THAT(refusal, HasSubstr("mounted noexec"));
    EXPECT_THAT(refusal, HasSubstr("/proc cannot be written"));
    EXPECT_THAT(refusal, HasSubstr("set spark.local.dir"));
  });
  if (!mounted) GTEST_SKIP() << "mounting is not allowed here";
}

TEST_F(BundleRunTest, AFullDiskIsToldInMegabytes) {
  launcher_path_ = Path("session") / launcher_path_;
  const std::string size = "size=" + std::to_string(program_->bytes + (8 << 20));
  const bool mounted = WithMount(Path("local"), 0, size.c_str(), [&] {
    JvmOptions options = Options();
    options.folder = Path("local");
    fs::copy_file(program_->file, Path("local") / (kBundlePrefix + program_->hash));
    auto jvm = MockJvm::Start(options);
    ASSERT_NE(jvm, nullptr);
    auto worker = jvm->Connect();
    ASSERT_TRUE(worker.has_value());
    EXPECT_THAT(worker->ReadRefusal(), HasSubstr("MiB are needed"));
  });
  if (!mounted) GTEST_SKIP() << "mounting is not allowed here";
}

}  // namespace
}  // namespace protium
