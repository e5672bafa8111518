// SPDX-License-Identifier: Apache-2.0
// Joining over TCP, and how strangers and ranks of other gangs can disturb it.
#include "tcp/candidate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include <filesystem>

#include "base/fault.h"
#include "os/memfd.h"
#include "os/temporary_folder.h"
#include "tcp/card.h"
#include "tcp/listen.h"
#include "tcp/proof.h"
#include "tcp/testing/thread_ranks.h"

namespace protium {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::set<std::string> OpenFds() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    names.insert(entry.path().filename());
  }
  return names;
}

size_t NumThreads() {
  return size_t(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

// Two ranks whose options may differ; each gets `wait` to join.
std::vector<Status> JoinTwo(const TcpOptions& zero, const TcpOptions& one,
                            const std::function<void(const std::vector<std::string>&)>& meanwhile,
                            milliseconds wait = milliseconds(20'000)) {
  auto first = TcpCandidate::Make(zero, 0, 2).ValueOrDie();
  auto second = TcpCandidate::Make(one, 1, 2).ValueOrDie();
  const std::vector<std::string> cards{first.card(), second.card()};
  meanwhile(cards);
  std::vector<Status> statuses(2);
  const auto join = [&](TcpCandidate candidate, size_t rank) {
    const auto joined = std::move(candidate).Join(cards, Clock::now() + wait);
    statuses[rank] = joined.ok() ? (*joined)->Barrier("joined") : joined.status();
  };
  std::jthread other(join, std::move(second), size_t{1});
  join(std::move(first), 0);
  other.join();
  return statuses;
}

void Nothing(const std::vector<std::string>&) {}

TEST(TcpCandidates, LeaveNothingBehind) {
  const auto fds = OpenFds();
  const size_t threads = NumThreads();
  std::string path;
  for (const bool shared : {false, true}) {
    TcpOptions options = LoopbackOptions();
    options.shared_memory = shared;
    for (const Status& status : JoinTwo(options, options, [&](const auto& cards) {
           path = ReadCard(cards[0]).ValueOrDie().unix_path;
         })) {
      EXPECT_TRUE(status.ok()) << status;
    }
  }
  EXPECT_FALSE(path.empty());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
  EXPECT_EQ(OpenFds(), fds);
  EXPECT_EQ(NumThreads(), threads);
}

TEST(TcpCandidates, ListenAtAllAddressesOfTheHost) {
  TcpOptions options = LoopbackOptions();
  options.addresses.clear();
  for (const Status& status : JoinTwo(options, options, [](const auto& cards) {
         EXPECT_TRUE(IsLoopback(ReadCard(cards[0]).ValueOrDie().addresses.front()));
       })) {
    EXPECT_TRUE(status.ok()) << status;
  }
}

TcpOptions SharingOptions() {
  TcpOptions options = LoopbackOptions();
  options.shared_memory = true;
  return options;
}

TEST(TcpCandidates, ShareMemoryOnOneHostUnlessForbidden) {
  for (const bool shared : {false, true}) {
    TcpOptions options = LoopbackOptions();
    options.shared_memory = shared;
    for (const Status& status : RunTcpRanks(2, options, [&](Communicator& communicator) {
           PT_LET(const auto window, communicator.MakeWindow(1));
           EXPECT_EQ(window->Direct(1 - communicator.rank()) != nullptr, shared);
           return communicator.Barrier("the end");
         })) {
      EXPECT_TRUE(status.ok()) << status;
    }
  }
}

// Like an executor's: a socket's address has room for 107 bytes.
TEST(TcpCandidates, ShareMemoryInADeepFolder) {
  const auto folder = TemporaryFolder::Make().ValueOrDie();
  const std::filesystem::path deep = folder.path() / std::string(60, 'a') / std::string(60, 'b');
  std::filesystem::create_directories(deep);
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", deep.c_str(), 1);
  for (const Status& status : RunTcpRanks(2, SharingOptions(), [&](Communicator& communicator) {
         PT_LET(const auto window, communicator.MakeWindow(1));
         EXPECT_NE(window->Direct(1 - communicator.rank()), nullptr);
         return communicator.Barrier("the end");
       })) {
    EXPECT_TRUE(status.ok()) << status;
  }
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
}

TEST(TcpCandidates, TurnDownAnotherKey) {
  TcpOptions other = LoopbackOptions();
  other.key = std::string(32, 'x');
  for (const bool tls : {false, true}) {
    TcpOptions own = LoopbackOptions();
    own.always_encrypt = other.always_encrypt = tls;
    for (const Status& status : JoinTwo(own, other, Nothing, milliseconds(2000))) {
      EXPECT_THAT(FaultOf(status).what, HasSubstr("was not made with the gang's key"));
    }
  }
}

TEST(TcpCandidates, TurnDownACardThatWasChangedOnItsWay) {
  for (const char* member : {"\"plaintext\":false", "\"always_encrypt\":false"}) {
    auto first = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
    const auto second = TcpCandidate::Make(LoopbackOptions(), 1, 2).ValueOrDie();
    std::string changed = second.card();
    const std::string from = member;
    const size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos);
    changed.replace(at, from.size(), from.substr(0, from.size() - 5) + "true");
    const std::vector<std::string> cards{first.card(), changed};
    const auto joined = std::move(first).Join(cards, Clock::now() + milliseconds(2000));
    EXPECT_THAT(FaultOf(joined.status()).what, HasSubstr("was not made with the gang's key"));
    EXPECT_THAT(FaultOf(joined.status()).why, HasSubstr("changed in transit"));
  }
}

TEST(TcpCandidates, RefuseShortKeysAndForeignCards) {
  EXPECT_FALSE(TcpCandidate::Make({.key = "short"}, 0, 2).ok());
  EXPECT_FALSE(TcpCandidate::Make(LoopbackOptions(), 2, 2).ok());
  const auto join = [](const std::vector<std::string>& others) {
    auto candidate = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
    std::vector<std::string> cards{candidate.card()};
    cards.insert(cards.end(), others.begin(), others.end());
    return FaultOf(std::move(candidate).Join(cards, Clock::now() + milliseconds(300)).status())
        .what;
  };
  EXPECT_THAT(join({}), HasSubstr("card 0 of 1 is that of rank 0 in a world of 2"));
  EXPECT_THAT(join({"hello"}), HasSubstr("it is not a JSON object"));
  EXPECT_THAT(join({R"({"protium": 1})"}), HasSubstr("its version is 1, not 2"));
  EXPECT_THAT(join({R"({"protium": 2, "rank": 1, "world": 2})"}), HasSubstr("\"host\""));
  EXPECT_THAT(join({std::string(1 << 20, '[')}), HasSubstr("it has 1048576 bytes"));
}

TEST(TcpCandidates, NameThoseTheyCannotReachAndWhere) {
  auto candidate = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
  std::string other;
  {
    const auto gone = TcpCandidate::Make(LoopbackOptions(), 1, 2).ValueOrDie();
    other = gone.card();
  }
  const std::string address = ReadCard(other).ValueOrDie().addresses.front();
  const auto joined =
      std::move(candidate).Join({candidate.card(), other}, Clock::now() + milliseconds(2000));
  EXPECT_THAT(FaultOf(joined.status()).what, HasSubstr(" at " + address + " (Connection refused)"));
  EXPECT_THAT(FaultOf(joined.status()).what, HasSubstr("rank 0 cannot reach rank 1 on "));
}

// Strangers stay connected while the ranks join: silent, sending nonsense, or half a greeting.
TEST(TcpCandidates, AreNotDisturbedByStrangers) {
  const std::vector<std::string> texts{"", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PROTIUM1",
                                       std::string(100'000, '\xff')};
  std::vector<UniqueFd> strangers;
  const auto visit = [&](const std::vector<std::string>& cards) {
    for (const std::string& card : cards) {
      const std::string address = ReadCard(card).ValueOrDie().addresses.front();
      for (const std::string& text : texts) {
        strangers.push_back(BeginTcp(address).ValueOrDie());
        pollfd wait{strangers.back().get(), POLLOUT, 0};
        ASSERT_EQ(poll(&wait, 1, 1000), 1);
        send(strangers.back().get(), text.data(), text.size(), MSG_NOSIGNAL);
      }
    }
  };
  const auto start = Clock::now();
  for (const Status& status : JoinTwo(LoopbackOptions(), LoopbackOptions(), visit)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  // Less than the limit for silent ones.
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
}

// More strangers than are served at a time, all connected before the first rank comes.
TEST(TcpCandidates, AreReachedThroughACrowdOfSilentStrangers) {
  std::vector<UniqueFd> strangers;
  const auto crowd = [&](const std::vector<std::string>& cards) {
    const std::string address = ReadCard(cards[1]).ValueOrDie().addresses.front();
    for (int i = 0; i < 320; ++i) {
      strangers.push_back(BeginTcp(address).ValueOrDie());
      pollfd wait{strangers.back().get(), POLLOUT, 0};
      ASSERT_EQ(poll(&wait, 1, 1000), 1);
    }
  };
  const auto start = Clock::now();
  for (const Status& status : JoinTwo(LoopbackOptions(), LoopbackOptions(), crowd)) {
    EXPECT_TRUE(status.ok()) << status;
  }
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
}

// While it exists no descriptor can be opened; poll() still takes four.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 4, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

TEST(TcpCandidates, WaitWithoutSpinningForDescriptors) {
  auto first = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
  auto second = TcpCandidate::Make(LoopbackOptions(), 1, 2).ValueOrDie();
  const std::vector<std::string> cards{first.card(), second.card()};
  const std::string address = ReadCard(cards[1]).ValueOrDie().addresses.front();
  Status status;
  std::jthread listening([&] {
    const auto joined = std::move(second).Join(cards, Clock::now() + std::chrono::seconds(20));
    status = joined.ok() ? (*joined)->Barrier("joined") : joined.status();
  });
  const UniqueFd one(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const UniqueFd two(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{.sin_family = AF_INET,
                 .sin_port = htons(uint16_t(std::stoi(address.substr(address.rfind(':') + 1)))),
                 .sin_addr = {htonl(INADDR_LOOPBACK)}};
  ASSERT_EQ(connect(one.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
  ASSERT_EQ(send(one.get(), std::string(100, 'x').data(), 100, MSG_NOSIGNAL), 100);
  pollfd answered{one.get(), POLLIN, 0};
  ASSERT_EQ(poll(&answered, 1, 5000), 1) << "it listens, as it has turned this one away";
  {
    const NoMoreDescriptors limit;
    ASSERT_EQ(connect(two.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)), 0);
    const double before = CpuSeconds();
    EXPECT_EQ(poll(nullptr, 0, 300), 0);
    EXPECT_LT(CpuSeconds() - before, 0.1);
  }
  const auto joined = std::move(first).Join(cards, Clock::now() + std::chrono::seconds(20));
  ASSERT_TRUE(joined.ok()) << joined.status();
  EXPECT_TRUE((*joined)->Barrier("joined").ok());
  listening.join();
  EXPECT_TRUE(status.ok()) << status;
}

// Rank 1, played by a test that knows the key and breaks the protocol.
class RudeRank {
 public:
  explicit RudeRank(const TcpCandidate& other) {
    auto listening = ListenTcp({"127.0.0.1"}).ValueOrDie();
    Card card = ReadCard(other.card()).ValueOrDie();
    self_.cards.push_back(card);
    card.rank = self_.rank = 1;
    card.addresses = listening.addresses;
    self_.cards.push_back(card);
    self_.key = LoopbackOptions().key;
    listener_ = std::move(listening.sockets.front());
  }

  std::vector<std::string> cards() const {
    return {WriteCard(self_.cards[0], self_.key), WriteCard(self_.cards[1], self_.key)};
  }

  std::unique_ptr<TcpConnection> Accept() {
    const Patience patience{.deadline = Clock::now() + std::chrono::seconds(2)};
    EXPECT_TRUE(AwaitEvents(listener_.get(), POLLIN, patience).ok());
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const auto always = [] { return true; };
    return ProveAsCalled(self_, std::move(socket), patience, always).ValueOrDie().connection;
  }

  // Closes the next connection before it has received anything.
  void HangUp() {
    const Patience patience{.deadline = Clock::now() + std::chrono::seconds(2)};
    EXPECT_TRUE(AwaitEvents(listener_.get(), POLLIN, patience).ok());
    const UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  // From now on knows the cards, but not the key.
  void Forget() { self_.key = std::string(32, 'x'); }
  Status Refused() {
    const Patience patience{.deadline = Clock::now() + std::chrono::seconds(2)};
    EXPECT_TRUE(AwaitEvents(listener_.get(), POLLIN, patience).ok());
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return ProveAsCalled(self_, std::move(socket), patience, [] { return true; }).status();
  }

 private:
  Membership self_;
  UniqueFd listener_;
};

TEST(TcpRanks, CallAgainWhenTheyAreTurnedOut) {
  auto candidate = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
  RudeRank rude(candidate);
  Status status;
  std::jthread polite([&] {
    const auto joined =
        std::move(candidate).Join(rude.cards(), Clock::now() + std::chrono::seconds(5));
    status = joined.status();
  });
  for (int i = 0; i < 3; ++i) rude.HangUp();
  {
    const auto data = rude.Accept();
    const auto service = rude.Accept();
  }
  polite.join();
  EXPECT_THAT(FaultOf(status).what, HasSubstr("rank 1 is gone")) << "it was connected";
}

TEST(TcpRanks, TurnDownThoseWhoDoNotKnowTheKey) {
  auto candidate = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
  RudeRank rude(candidate);
  const std::vector<std::string> cards = rude.cards();
  rude.Forget();
  Status status;
  std::jthread polite([&] {
    const auto joined = std::move(candidate).Join(cards, Clock::now() + std::chrono::seconds(5));
    status = joined.status();
  });
  EXPECT_FALSE(rude.Refused().ok());
  polite.join();
  EXPECT_THAT(FaultOf(status).what, HasSubstr("does not know the gang's key"));
}

TEST(TcpRanks, CapLengthsThatOthersClaim) {
  auto candidate = TcpCandidate::Make(LoopbackOptions(), 0, 2).ValueOrDie();
  RudeRank rude(candidate);
  Status status;
  std::jthread polite([&] {
    const auto joined =
        std::move(candidate).Join(rude.cards(), Clock::now() + std::chrono::seconds(5));
    status = joined.status();
  });
  const auto data = rude.Accept();
  const auto service = rude.Accept();
  const uint32_t frame[8] = {4 /* a block */, 1u << 31};
  const Patience patience{.deadline = Clock::now() + std::chrono::seconds(2)};
  ASSERT_TRUE(SendAll(*service, {reinterpret_cast<const char*>(frame), 32}, patience).ok());
  polite.join();
  EXPECT_THAT(FaultOf(status).what, HasSubstr("sent a frame of 2147483648 bytes"));
}

TEST(TcpRanks, CapMessagesThatOthersAnnounce) {
  const auto statuses = RunTcpRanks(2, LoopbackOptions(), [](Communicator& communicator) {
    // Never touched, since it is not sent.
    const auto memory = Memfd::Make("long", (int64_t{1} << 30) + 1).ValueOrDie();
    const auto mapping = memory.Map().ValueOrDie();
    const std::string_view text(reinterpret_cast<const char*>(mapping.data()),
                                size_t(mapping.size()));
    return communicator.AllGather(communicator.rank() == 1 ? text : "short").status();
  });
  for (const Status& status : statuses) {
    EXPECT_THAT(FaultOf(status).what, HasSubstr("rank 1 sends a message of 1073741825 bytes"));
  }
}

}  // namespace
}  // namespace protium
