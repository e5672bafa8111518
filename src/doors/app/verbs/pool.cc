// SPDX-License-Identifier: Apache-2.0
// `protium pool`: starts, shows and stops the process that keeps workers warm and gives out this
// machine's seats (room pool).
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "app/verb.h"
#include "app/verbs/cache_audit.h"
#include "base/fault.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/units.h"
#include "os/signals.h"
#include "pool/handover.h"
#include "pool/place.h"
#include "pool/pool_client.h"
#include "pool/pool_daemon.h"
#include "pool/pool_protocol.h"
#include "pool/profile.h"
#include "pool/quotas.h"
#include "pool/shares.h"
#include "run/printable.h"
#include "run/terminal.h"
#include "store/store_folder.h"
#include "terminal/printing.h"
#include "terminal/text_table.h"

namespace protium {

namespace fs = std::filesystem;

namespace {

// How long a pool may take to begin or to end.
constexpr std::chrono::seconds kPoolTurn{5};
constexpr std::chrono::milliseconds kPoolTick{10};

Result<fs::path> PlaceOfPool() {
  fs::path socket = PoolSocket();
  if (!socket.empty()) return socket;
  return Fail({.exit = Exit::kUsage,
               .what = "there is no pool: it is switched off",
               .why = "PROTIUM_POOL is \"off\"",
               .fix = "unset PROTIUM_POOL"});
}

Result<Json> StateOfPool() {
  PT_LET(const fs::path socket, PlaceOfPool());
  auto state = PoolState(socket);
  if (state.ok() || FaultOf(state.status()).exit == Exit::kInput) return state;
  Fault fault = FaultOf(state.status());
  fault.what = "the pool cannot be used: " + fault.what;
  fault.where = socket.string();
  return Fail(std::move(fault));
}

Result<Quotas> QuotasIn(const Arguments& arguments) {
  Quotas quotas;
  for (const std::string& each : arguments.Values("--quota")) PT_TRY(AddQuota(each, quotas));
  return quotas;
}

// Reads what is kept while nobody needs the machine; nothing without a store.
IdleAuditSettings AuditOfStore() {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/exe", error);
  if (error || DefaultStoreFolder().empty()) return {};
  return {.command = {own.string(), "cache", "verify", "--sample"}};
}

// Serves in this process, which may become another program (`pool restart`). `from`: a listener, or
// what another pool has handed over.
template <class From>
Status ServePool(const fs::path& socket, const Quotas& quotas, From from) {
  PT_LET(const std::unique_ptr<StopOnSignal> signals, StopOnSignal::Make());
  const PoolSettings settings{.socket = socket,
                              .log = fs::path(socket).replace_extension(".log"),
                              .quotas = quotas,
                              .audit = AuditOfStore()};
  auto pool = std::make_unique<PoolDaemon>(settings, std::move(from));
  for (;;) {
    PT_TRY(pool->Serve(signals->token()));
    const PoolDaemon::Successor next = pool->successor();
    if (next.program.empty()) return Status::OK();
    PoolHandover handover = pool->HandOver();
    const Status failed = BecomeSuccessor(next.program, next.arguments, handover);
    // It goes on as it was, and says so to whoever has asked.
    handover.state["failed"] = FaultOf(failed).what;
    pool = std::make_unique<PoolDaemon>(settings, std::move(handover));
  }
}

std::string StartedText(pid_t pid, const fs::path& socket) {
  return fmt::format("the pool is running (pid {}) at {}\nto stop it: protium pool stop\n", pid,
                     socket.string());
}

// Leaves the terminal, and whatever else this process was started with.
Status Detach(const fs::path& log, const PoolListener& listener) {
  ::setsid();
  ::umask(077);
  const UniqueFd nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  const UniqueFd output(::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!nothing || !output) return SystemFault("write " + log.string(), errno);
  const bool placed = ::dup2(nothing.get(), 0) == 0 && ::dup2(output.get(), 1) == 1 &&
                      ::dup2(output.get(), 2) == 2 && ::chdir("/") == 0;
  if (!placed) return SystemFault("leave the terminal", errno);
  std::error_code ignored;
  std::vector<int> inherited;
  for (const auto& each : fs::directory_iterator("/proc/self/fd", ignored)) {
    const int fd = std::atoi(each.path().filename().c_str());
    const bool own = fd == listener.socket.get() || fd == listener.lock.get();
    if (fd > STDERR_FILENO && !own) inherited.push_back(fd);
  }
  for (const int fd : inherited) ::close(fd);
  return Status::OK();
}

// This process has one thread, so its child may go on as the pool. It listens already, so whoever
// asks now is answered.
Status StartDetached(const fs::path& socket, const Quotas& quotas, PoolListener listener) {
  const pid_t pid = ::fork();
  if (pid < 0) return SystemFault("start the pool", errno);
  if (pid > 0) return PrintResult(StartedText(pid, socket));
  Status status = Detach(fs::path(socket).replace_extension(".log"), listener);
  if (status.ok()) status = ServePool(socket, quotas, std::move(listener));
  if (!status.ok()) PrintNote(Render(FaultOf(status)));
  ::_exit(status.ok() ? 0 : int(FaultOf(status).exit));
}

Status StartPool(const Arguments& arguments) {
  PT_LET(const fs::path socket, PlaceOfPool());
  PT_LET(const Quotas quotas, QuotasIn(arguments));
  PT_LET(auto handover, InheritedHandover());
  if (handover) return ServePool(socket, quotas, std::move(*handover));
  PT_LET(PoolListener listener, ListenAsPool(socket));
  if (!arguments.Has("--foreground")) return StartDetached(socket, quotas, std::move(listener));
  PT_TRY(PrintResult(StartedText(::getpid(), socket)));
  return ServePool(socket, quotas, std::move(listener));
}

// Waits until another pool could start.
Status AwaitEndOfPool(const fs::path& socket) {
  const Deadline deadline = Clock::now() + kPoolTurn;
  while (!IsPlaceFree(socket)) {
    if (Clock::now() >= deadline) {
      return Fail({.exit = Exit::kStalled,
                   .what = "the pool was asked to stop and has not ended",
                   .where = socket.string()});
    }
    std::this_thread::sleep_for(kPoolTick);
  }
  return Status::OK();
}

// Of any version: the pool of a program that was replaced must end, too.
Result<std::unique_ptr<Link>> GreetPool(const fs::path& socket) {
  PT_LET(UniqueFd fd, ConnectToPool(socket, Clock::now() + kPoolPatience));
  auto link = std::make_unique<Link>(Channel(std::move(fd)));
  PT_TRY(AskPool(*link, {{"type", "hello"},
                         {"version", kPoolVersion},
                         {"place", PlaceOfProcess()},
                         {"who", "protium pool"}})
             .status());
  return link;
}

Result<int64_t> EndPool() {
  PT_LET(const fs::path socket, PlaceOfPool());
  PT_LET(const auto link, GreetPool(socket));
  PT_LET(const Frame answer, AskPool(*link, {{"type", "stop"}}));
  PT_TRY(AwaitEndOfPool(socket));
  return WholeAt(answer.head, "pid");
}

Status StopPool(const Arguments&) {
  PT_LET(const int64_t pid, EndPool());
  return PrintResult(
      fmt::format("the pool (pid {}) has ended; programs keep their workers\n", pid));
}

// Asks the pool to become this program. Its answer, which the new program gives; nullopt: it has
// ended instead.
Result<std::optional<Frame>> AskToBecomeThis(Link& link, const Arguments& arguments) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/exe", error);
  if (error) return SystemFault("find this program's file", error.value());
  Json words = {"pool", "start", "--foreground"};
  for (const std::string& each : arguments.Values("--quota")) {
    words.push_back("--quota");
    words.push_back(each);
  }
  PT_TRY(
      link.Send({{"type", "restart"}, {"program", own.string()}, {"arguments", std::move(words)}}));
  auto answer = link.Receive(Clock::now() + kPoolTurn);
  if (answer.ok()) return answer;
  if (FaultOf(answer.status()).exit != Exit::kStalled) return std::optional<Frame>();
  return Fail({.exit = Exit::kStalled,
               .what = "the pool was asked to restart and has not answered",
               .fix = "protium pool stop, then protium pool start"});
}

// An older pool does not know how, and one may have ended on the way: then another starts, and
// hears from programs that run what they hold.
Status RestartPool(const Arguments& arguments) {
  PT_LET(const fs::path socket, PlaceOfPool());
  PT_TRY(QuotasIn(arguments).status());
  const auto link = GreetPool(socket);
  if (!link.ok() && FaultOf(link.status()).exit == Exit::kInput) return StartPool(arguments);
  PT_TRY(link.status());
  PT_LET(const auto answer, AskToBecomeThis(**link, arguments));
  if (!answer) {
    PT_TRY(AwaitEndOfPool(socket));
    PrintNote("the pool ended while it restarted; another has taken its place");
    return StartPool(arguments);
  }
  const std::string why = TextAt(answer->head, "why");
  if (why.starts_with("it knows no ")) {
    PT_TRY(EndPool().status());
    return StartPool(arguments);
  }
  if (!why.empty()) {
    return Fail({.exit = Exit::kEnvironment,
                 .what = "the pool could not restart: " + why,
                 .where = socket.string(),
                 .kept = "it continues as before"});
  }
  return PrintResult(fmt::format(
      "the pool (pid {}) runs this build of protium now; programs keep their workers and cores\n",
      WholeAt(answer->head, "pid")));
}

std::string WorkersText(const Json& driver) {
  const Json workers = driver.value("workers", Json::array());
  std::vector<int64_t> pids;
  for (const Json& each : workers) pids.push_back(each.get<int64_t>());
  return fmt::format("{} worker{} (pid {})", pids.size(), PluralOf(int64_t(pids.size())),
                     fmt::join(pids, ", "));
}

std::string ZygoteText(const Json& zygote) {
  const std::string unfit = TextAt(zygote, "unfit");
  const bool ready = zygote.value("ready", false);
  const std::string how = !unfit.empty() ? "forks none: " + unfit
                          : ready        ? fmt::format("{} warm", WholeAt(zygote, "warm"))
                                         : "loading";
  return fmt::format("{}{}: {} (pid {})", Printable(TextAt(zygote, "program")),
                     zygote.value("torch", false) ? " with LibTorch" : "", how,
                     WholeAt(zygote, "pid"));
}

std::string ClaimText(const Json& claim) {
  const std::string label = TextAt(claim, "label");
  const std::string who = Printable(TextAt(claim, "who")) +
                          (label.empty() ? "" : fmt::format(" [{}]", Printable(label)));
  const int64_t workers = WholeAt(claim, "workers"), left = WholeAt(claim, "shrinks_to");
  if (claim.value("waits", false)) {
    return fmt::format("waits     {}, for {}: {}\n", who, Seconds(NumberAt(claim, "seconds")),
                       Printable(TextAt(claim, "why")));
  }
  if (workers == 0) return fmt::format("paused    {}\n", who);
  const double bytes = NumberAt(claim, "bytes");
  const std::string memory = bytes > 0 ? " and " + BytesText(bytes) : "";
  std::string text = fmt::format("holds     {}: {}, {}{} each", who, Counted(workers, "worker"),
                                 Counted(WholeAt(claim, "cores"), "core"), memory);
  const bool pauses = claim.value("pausing", false);
  if (pauses) text += ", pauses after its current step";
  if (!pauses && left < workers) {
    text += fmt::format(", shrinks to {} after its current step", left);
  }
  return text + "\n";
}

// What has been replaced since the pool, or a program that it has workers of, was started.
std::string ReplacedText(const Json& pool) {
  std::map<std::string, std::string> builds;
  const Json own = pool.value("builds", Json::object());
  for (const auto& [name, build] : own.items()) builds[name] = TextAt(own, name);
  const std::string other = DifferenceOfBuilds(builds, OwnBuilds());
  std::string text;
  if (!other.empty()) {
    text += fmt::format("build     of another {} than this command's: protium pool restart\n",
                        other == "program" ? "protium" : other);
  }
  const std::string library = TextAt(pool, "replaced");
  if (library.empty()) return text;
  return text + fmt::format("replaced  {}: workers that had loaded it wait no longer\n",
                            Printable(library));
}

std::string StateText(const Json& pool) {
  const double seconds = double(std::time(nullptr) - WholeAt(pool, "since"));
  std::string text = fmt::format("pool      pid {}, for {}, at {}\n", WholeAt(pool, "pid"),
                                 Seconds(seconds), TextAt(pool, "socket"));
  text +=
      fmt::format("machine   {} cores, {} free; {} of memory, {} free\n", WholeAt(pool, "cores"),
                  WholeAt(pool, "free_cores"), BytesText(NumberAt(pool, "memory_bytes")),
                  BytesText(NumberAt(pool, "available_bytes")));
  if (const double stall = NumberAt(pool, "memory_stall"); stall > 0) {
    text += fmt::format("memory    processes waited for it for {:.0f}% of the last 10 s\n",
                        std::ceil(stall * 100));
  }
  text += ReplacedText(pool);
  for (const auto& [label, amount] : QuotasFromJson(pool.value("quotas", Json::object()))) {
    text += fmt::format("quota     {}: {}\n", Printable(label), AmountText(amount));
  }
  for (const Json& each : pool.value("claims", Json::array())) text += ClaimText(each);
  for (const Json& each : pool.value("drivers", Json::array())) {
    // What it holds is listed already.
    if (each.value("workers", Json::array()).empty()) continue;
    text += fmt::format("program   {} (pid {}): {}\n", Printable(TextAt(each, "who")),
                        WholeAt(each, "pid"), WorkersText(each));
  }
  for (const Json& each : pool.value("zygotes", Json::array())) {
    text += fmt::format("workers   {}\n", ZygoteText(each));
  }
  const fs::path store = DefaultStoreFolder();
  return store.empty() ? text : text + AuditText(LastAudit(store));
}

Status ShowPool(const Arguments& arguments) {
  PT_LET(const Json pool, StateOfPool());
  return PrintResult(arguments.Has("--json") ? Dump(pool) + "\n" : StateText(pool));
}

Status RunPoolVerb(const Arguments& arguments, const Invocation&) {
  const std::string what = arguments.operand(0);
  const std::vector<std::string> known = {"start", "status", "stop", "restart"};
  if (what == "start") return StartPool(arguments);
  if (what == "stop") return StopPool(arguments);
  if (what == "restart") return RestartPool(arguments);
  if (what == "status" || what.empty()) return ShowPool(arguments);
  return Fail({.exit = Exit::kUsage,
               .what = fmt::format("pool has no \"{}\"", what),
               .fix = Suggest(what, known)});
}

}  // namespace

CommandVerb PoolVerb() {
  return {
      {.name = "pool",
       .operands = {"[WHAT]"},
       .flags = {{"--foreground", "", "for start: stays in this terminal until Ctrl-C", ""},
                 {"--quota", "LABEL=CORES",
                  "for start and restart: cores that are guaranteed to programs of a label; with "
                  "memory, LABEL=cores:2,memory:8GiB",
                  ""},
                 JsonFlag()},
       .says = "keeps workers warm for all programs of this user",
       .more =
           "WHAT is one of\n"
           "  start        starts the pool of this user on this machine\n"
           "  status       shows which programs have workers from it, and which workers are warm\n"
           "  stop         ends it; programs keep the workers that they have\n"
           "  restart      replaces it with this build of protium; programs keep their workers\n"
           "\n"
           "Programs find it at $XDG_RUNTIME_DIR/protium/pool.sock, else at\n"
           "/tmp/protium-UID/pool.sock, or where PROTIUM_POOL says; with PROTIUM_POOL=off they\n"
           "do not use it. It is started only by this command, and ends after an hour without\n"
           "programs.\n"
           "\n"
           "A quota is for the programs whose PROTIUM_POOL_LABEL is its label. What they do not\n"
           "use is lent to others.\n"},
      RunPoolVerb};
}

}  // namespace protium
