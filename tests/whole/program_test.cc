// SPDX-License-Identifier: Apache-2.0
// Programs as gangs: `protium gang -- PROGRAM`, as a user sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "whole/command.h"

namespace protium::whole {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Programs : public testing::Test {
 protected:
  std::vector<std::string> Command(const std::vector<std::string>& flags,
                                   const std::vector<std::string>& program) {
    std::vector<std::string> argv = {ProtiumCommand(), "gang"};
    argv.insert(argv.end(), flags.begin(), flags.end());
    argv.push_back("--");
    argv.insert(argv.end(), program.begin(), program.end());
    return argv;
  }
  // With PT_FOLDER, a folder of the test. Nothing of it may remain.
  Outcome Gang(const std::vector<std::string>& flags, const std::string& script) {
    Running command(Command(flags, {"/bin/sh", "-c", script}), scratch_.path(), Variables());
    const Outcome outcome = command.Wait();
    EXPECT_THAT(command.Descendants(), testing::IsEmpty());
    return outcome;
  }
  std::map<std::string, std::string> Variables() const {
    return {{"PT_FOLDER", scratch_.path().string()}};
  }
  static std::vector<std::string> Lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::sort(lines.begin(), lines.end());
    return lines;
  }

  Scratch scratch_;
};

TEST_F(Programs, AreToldTheirRanksAndHeardLineByLine) {
  const Outcome two = Gang({"--workers", "3", "--env", "WORD=so it is"},
                           "echo \"$RANK of $WORLD_SIZE, $LOCAL_RANK here, $WORD\"; echo oops >&2; "
                           "test \"$MASTER_ADDR:$MASTER_PORT\" != :; read line || echo no input");
  EXPECT_EQ(two.exit, 0) << two.err;
  EXPECT_THAT(Lines(two.out), testing::ElementsAre("[0] 0 of 3, 0 here, so it is", "[0] no input",
                                                   "[1] 1 of 3, 1 here, so it is", "[1] no input",
                                                   "[2] 2 of 3, 2 here, so it is", "[2] no input"));
  EXPECT_THAT(Lines(two.err), testing::ElementsAre("[0] oops", "[1] oops", "[2] oops"));
  const Outcome first = Gang({"--workers", "2", "--logs", "rank0"}, "echo $RANK");
  EXPECT_EQ(first.out, "[0] 0\n");
  const Outcome none = Gang({"--workers", "2", "--logs", "none"}, "echo $RANK");
  EXPECT_EQ(none.out + none.err, "");
}

TEST_F(Programs, GetVariablesOfOursByTheirNames) {
  Running command(Command({"--env", "PT_SECRET"}, {"/bin/sh", "-c", "echo $PT_SECRET"}),
                  scratch_.path(), {{"PT_SECRET", "of ours"}});
  EXPECT_EQ(command.Wait().out, "[0] of ours\n");
  const Outcome missing = Gang({"--env", "PT_NOWHERE"}, "exit 0");
  EXPECT_EQ(missing.exit, 2);
  EXPECT_THAT(missing.err, HasSubstr("--env PT_NOWHERE: there is no such variable here"));
}

TEST_F(Programs, TellHowTheyEndedAsJson) {
  const Outcome well = Gang({"--json", "--workers", "2", "--logs", "rank0"}, "echo line");
  EXPECT_EQ(well.out, "{\"ranks\":2}\n");
  EXPECT_EQ(well.err, "[0] line\n");
  const Outcome badly = Gang({"--json"}, "exit 3");
  EXPECT_EQ(badly.exit, 1);
  EXPECT_EQ(TextAt(badly.json["error"], "what"), "rank 0: sh exited with code 3");
  // A flag of the program.
  Running command({ProtiumCommand(), "gang", "sh", "-c", "exit 3", "sh", "--json"},
                  scratch_.path());
  EXPECT_EQ(command.Wait().out, "");
}

TEST_F(Programs, ThatFailEndTheOthersAndAreNamed) {
  const Outcome code =
      Gang({"--workers", "3"},
           "[ $RANK = 1 ] || exec sleep 60; echo first; echo last words >&2; exit 3");
  EXPECT_EQ(code.exit, 1);
  EXPECT_LT(code.seconds, 30);
  EXPECT_THAT(code.err, HasSubstr("error: rank 1: sh exited with code 3\n"));
  EXPECT_THAT(code.err, HasSubstr("rank 1 of 3 on "));
  EXPECT_THAT(code.err, HasSubstr("last words"));
  EXPECT_THAT(code.err, testing::Not(HasSubstr("rank 0")));
  const Outcome killed = Gang({"--workers", "2"}, "[ $RANK = 0 ] || kill -SEGV $$; exec sleep 60");
  EXPECT_EQ(killed.exit, 1);
  EXPECT_THAT(killed.err, HasSubstr("rank 1: sh was killed by signal 11 (SIGSEGV)"));
}

TEST_F(Programs, ThatIgnoreTheEndAreKilledWithAllTheyStarted) {
  const Outcome outcome = Gang({"--workers", "2", "--grace", "0.3"},
                               "[ $RANK = 0 ] || { sleep 0.3; exit 7; }; trap '' TERM; "
                               "setsid sh -c 'trap \"\" TERM HUP; (exec >&- 2>&-; sleep 60) & ' & "
                               "while :; do sleep 1; done");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_LT(outcome.seconds, 20);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1: sh exited with code 7"));
}

TEST_F(Programs, EndInGoodOrderAfterCtrlC) {
  Running command(
      Command({"--workers", "2"}, {"/bin/sh", "-c",
                                   "trap 'echo saved; exit 0' TERM; echo > $PT_FOLDER/up.$RANK; "
                                   "while :; do sleep 0.05; done"}),
      scratch_.path(), Variables());
  ASSERT_TRUE(command.AwaitChange(scratch_.path(), [&] {
    return fs::exists(scratch_.path() / "up.0") && fs::exists(scratch_.path() / "up.1");
  }));
  command.Signal(SIGINT);
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 75) << outcome.err;
  EXPECT_THAT(Lines(outcome.out), testing::ElementsAre("[0] saved", "[1] saved"));
  EXPECT_THAT(command.Descendants(), testing::IsEmpty());
}

TEST_F(Programs, GoOnAfterARestart) {
  const std::string script =
      "echo try $TORCHELASTIC_RESTART_COUNT; [ -e $PT_FOLDER/half ] && exit 0; "
      "[ $RANK = 1 ] || exec sleep 60; touch $PT_FOLDER/half; kill -9 $$";
  const Outcome outcome = Gang({"--workers", "2", "--restarts", "1"}, script);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("restart  rank 1: sh was killed by signal 9 (SIGKILL)"));
  EXPECT_THAT(outcome.out, HasSubstr("[1] try 1"));
  const Outcome twice = Gang({"--restarts", "1"}, "exit 9");
  EXPECT_EQ(twice.exit, 1);
  EXPECT_THAT(twice.err, HasSubstr("1 restart did not help"));
}

TEST_F(Programs, ThatCannotBeRunAreRefusedBeforeAnythingStarts) {
  const auto refused = [&](const std::vector<std::string>& words) {
    Running command(Command({"--workers", "2"}, words), scratch_.path());
    const Outcome outcome = command.Wait();
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    return outcome.err;
  };
  EXPECT_THAT(refused({"no-such-program"}), HasSubstr("there is no such program"));
  const fs::path script = scratch_.path() / "train.py";
  std::ofstream(script) << "print(1)\n";
  EXPECT_THAT(refused({script.string()}), HasSubstr("the file is not executable"));
  // The ranks detect a script whose interpreter does not exist.
  std::ofstream(script) << "#!/no/such/python\n";
  fs::permissions(script, fs::perms::owner_all);
  Running command(Command({"--workers", "2"}, {script.string()}), scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_NE(outcome.exit, 0);
  EXPECT_THAT(outcome.err, HasSubstr("No such file"));
}

// Programs that write their progress to files, and wait.
class ProgramsOfARange : public Programs {
 protected:
  static constexpr const char* kWait =
      "trap 'echo saved; exit 0' TERM; cd $PT_FOLDER; mkdir -p $TORCHELASTIC_RESTART_COUNT; "
      "cd $TORCHELASTIC_RESTART_COUNT; [ -e $PT_FOLDER/end ] && ends=yes; "
      "echo $$ > pid.$RANK; mv pid.$RANK $RANK.of.$WORLD_SIZE; "
      "[ $ends ] && exit 0; while :; do sleep 0.05; done";

  // Whether attempt `attempt` has started with all of its `world` ranks.
  bool AwaitWorld(Running& command, int attempt, int world) {
    return command.AwaitChange(scratch_.path(), [&] {
      for (int rank = 0; rank < world; ++rank) {
        const std::string name = std::to_string(rank) + ".of." + std::to_string(world);
        if (!fs::exists(scratch_.path() / std::to_string(attempt) / name)) return false;
      }
      return true;
    });
  }
  Outcome Scale(const Running& command, const std::string& workers) {
    Running scale({ProtiumCommand(), "scale", std::to_string(command.pid()), workers},
                  scratch_.path());
    return scale.Wait();
  }
};

TEST_F(ProgramsOfARange, AreAsManyAsThereIsRoomFor) {
  const auto worlds = [&](const std::vector<std::string>& flags) {
    const Outcome outcome = Gang(flags, "echo of $WORLD_SIZE");
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    return Lines(outcome.out);
  };
  EXPECT_THAT(worlds({"--workers", "1..4", "--engine", "local[2]"}),
              testing::ElementsAre("[0] of 2", "[1] of 2"));
  EXPECT_THAT(worlds({"--workers", "{min=1,max=4}", "--engine", "local[3]", "--cores", "3"}),
              testing::ElementsAre("[0] of 1"));
  EXPECT_THAT(worlds({"--workers", "1..2"}), testing::ElementsAre("[0] of 2", "[1] of 2"));
  const Outcome never = Gang({"--workers", "3..4", "--engine", "local[2]"}, "true");
  EXPECT_EQ(never.exit, 2);
  EXPECT_THAT(never.err, HasSubstr("gang.workers=3 x gang.cores_per_worker=1 asks for 3 cores"));
}

TEST_F(ProgramsOfARange, AreRefusedWhereTheRangeIsNone) {
  for (const char* const workers : {"0..2", "3..2", "2..", "..2", "1..x", "1..2..3", "x", "0"}) {
    const Outcome outcome = Gang({"--workers", workers}, "true");
    EXPECT_EQ(outcome.exit, 2) << workers;
    EXPECT_THAT(outcome.err, HasSubstr("got \"" + std::string(workers) + "\"\n"));
  }
  Running none({ProtiumCommand(), "scale", std::to_string(::getpid()), "2"}, scratch_.path());
  EXPECT_THAT(none.Wait().err, HasSubstr("has no gang of programs with a range of workers"));
  const Outcome spark = Gang({"--workers", "1..2", "--engine", "sc://127.0.0.1:1"}, "true");
  EXPECT_EQ(spark.exit, 2);
  EXPECT_THAT(spark.err, HasSubstr("--workers 1..2: on Spark a gang of programs has a fixed"));
  EXPECT_THAT(spark.err, HasSubstr("--workers 2"));
}

// None of the changes is a restart; restarts are not allowed here.
TEST_F(ProgramsOfARange, AreScaledByHand) {
  Running command(Command({"--workers", "1..3", "--engine", "local[2]"}, {"/bin/sh", "-c", kWait}),
                  scratch_.path(), Variables());
  ASSERT_TRUE(AwaitWorld(command, 0, 2));
  EXPECT_THAT(Scale(command, "4").err, HasSubstr("has 1 to 3 workers, and not 4"));
  EXPECT_THAT(Scale(command, "1").out, HasSubstr("is asked for 1 worker"));
  ASSERT_TRUE(AwaitWorld(command, 1, 1));
  // There is room for two.
  std::ofstream(scratch_.path() / "end") << "\n";
  EXPECT_EQ(Scale(command, "3").exit, 0);
  ASSERT_TRUE(AwaitWorld(command, 2, 2));
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(Lines(outcome.out), testing::ElementsAre("[0] saved", "[0] saved", "[1] saved"));
  EXPECT_THAT(outcome.err, HasSubstr("changes the number of workers, from 1 to 3"));
  EXPECT_THAT(outcome.err, HasSubstr("the gang starts again with 1 worker: 1 worker wanted"));
  EXPECT_THAT(outcome.err, HasSubstr("the gang starts again with 2 workers: 3 workers wanted"));
  EXPECT_THAT(command.Descendants(), testing::IsEmpty());
}

// The others end in an orderly way, and the number that a person asked for still applies.
TEST_F(ProgramsOfARange, StartAgainWhenOneFails) {
  Running command(Command({"--workers", "1..3", "--restarts", "1"}, {"/bin/sh", "-c", kWait}),
                  scratch_.path(), Variables());
  ASSERT_TRUE(AwaitWorld(command, 0, 3));
  EXPECT_EQ(Scale(command, "2").exit, 0);
  ASSERT_TRUE(AwaitWorld(command, 1, 2));
  std::ofstream(scratch_.path() / "end") << "\n";
  ::kill(std::stoi(ReadText(scratch_.path() / "1" / "1.of.2")), SIGKILL);
  ASSERT_TRUE(AwaitWorld(command, 2, 2));
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("restart  rank 1: sh was killed by signal 9 (SIGKILL)"));
  EXPECT_THAT(Lines(outcome.out),
              testing::ElementsAre("[0] saved", "[0] saved", "[1] saved", "[2] saved"));
  EXPECT_THAT(command.Descendants(), testing::IsEmpty());
}

// The same torch.distributed script continues from its checkpoint in another world.
TEST_F(ProgramsOfARange, OfTorchAreScaled) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  if (!fs::exists(python)) GTEST_SKIP() << "no PyTorch: bench/peers/setup.sh sets it up";
  const std::string script = (Repository() / "tests/whole/ddp.py").string();
  const std::string checkpoint = (scratch_.path() / "checkpoint").string();
  Running command(Command({"--workers", "1..2"}, {python, script, checkpoint, "wait"}),
                  scratch_.path());
  const auto waiting = [&] {
    return fs::exists(checkpoint + ".0") && fs::exists(checkpoint + ".1");
  };
  ASSERT_TRUE(command.AwaitChange(scratch_.path(), waiting, std::chrono::seconds(600)));
  EXPECT_EQ(Scale(command, "1").exit, 0);
  const Outcome outcome = command.Wait(std::chrono::seconds(600));
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[0] continues after epoch 2\n[0] one of 1\n"));
}

class ProgramTables : public Programs {
 protected:
  // "id,text" with `rows` rows.
  std::string Table(int rows) {
    const fs::path path = scratch_.path() / "in.csv";
    std::ofstream out(path);
    out << "id,text\n";
    for (int i = 0; i < rows; ++i) out << i << ",row " << i % 7 << "\n";
    return path.string();
  }
  fs::path Result() const { return scratch_.path() / "out.csv"; }
  // Each row of the table, once.
  void ExpectAll(int rows) {
    std::vector<int> ids;
    std::ifstream in(Result());
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "\"id\",\"text\"");
    while (std::getline(in, line)) {
      ids.push_back(std::stoi(line));
      const std::string id = std::to_string(ids.back());
      ASSERT_EQ(line, id + ",\"row " + std::to_string(ids.back() % 7) + "\"");
    }
    std::sort(ids.begin(), ids.end());
    std::vector<int> expected(static_cast<size_t>(rows));
    for (int i = 0; i < rows; ++i) expected[size_t(i)] = i;
    EXPECT_EQ(ids, expected);
  }
};

TEST_F(ProgramTables, ReachTheRanksAndComeBackRowByRow) {
  constexpr int kRows = 40'000;
  const std::string table = Table(kRows);
  const Outcome files = Gang({"--workers", "3", "--input", table, "--output", Result().string()},
                             "echo $PROTIUM_INPUT_ROWS; cp $PROTIUM_INPUT $PROTIUM_OUTPUT");
  ASSERT_EQ(files.exit, 0) << files.err;
  EXPECT_THAT(files.err, HasSubstr("40,000 rows in "));
  ExpectAll(kRows);
  int told = 0;
  for (const std::string& line : Lines(files.out)) told += std::stoi(line.substr(4));
  EXPECT_EQ(told, kRows);
  const Outcome again = Gang({"--output", Result().string()}, "echo a,b > $PROTIUM_OUTPUT");
  EXPECT_EQ(again.exit, 2) << "without --force nothing is written over: " << again.err;
  const Outcome streams = Gang({"--workers", "2", "--input", table, "--input-as", "stream",
                                "--output", Result().string(), "--force"},
                               "cat <&$PROTIUM_INPUT_FD >&$PROTIUM_OUTPUT_FD");
  ASSERT_EQ(streams.exit, 0) << streams.err;
  ExpectAll(kRows);
}

TEST_F(ProgramTables, ThatAreWrongAreRefused) {
  const Outcome nothing = Gang({"--output", Result().string()}, "true");
  EXPECT_EQ(nothing.exit, 1);
  EXPECT_THAT(nothing.err, HasSubstr("no rank wrote a table"));
  const Outcome both = Gang({"--output", Result().string()},
                            "echo a > $PROTIUM_OUTPUT; echo a >&$PROTIUM_OUTPUT_FD");
  EXPECT_EQ(both.exit, 1);
  EXPECT_THAT(both.err, HasSubstr("use one of them"));
  const Outcome missing = Gang({"--input", "/no/such.csv"}, "true");
  EXPECT_EQ(missing.exit, 3) << missing.err;
  EXPECT_FALSE(fs::exists(Result()));
}

TEST_F(ProgramTables, AreOfTheLastAttemptAlone) {
  const Outcome outcome = Gang(
      {"--workers", "2", "--restarts", "1", "--input", Table(1000), "--output", Result().string()},
      "cp $PROTIUM_INPUT $PROTIUM_OUTPUT; sleep 0.1; [ -e $PT_FOLDER/half ] || "
      "{ touch $PT_FOLDER/half; exit 1; }");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  ExpectAll(1000);
}

TEST_F(Programs, RunInTheFolderThatIsGiven) {
  std::ofstream(scratch_.path() / "settings") << "found\n";
  const Outcome outcome = Gang({"--files", scratch_.path().string()}, "cat settings");
  EXPECT_EQ(outcome.out, "[0] found\n");
  EXPECT_EQ(Gang({"--files", "/no/such"}, "true").exit, 3);
}

TEST_F(Programs, AskForAPortThatIsFree) {
  const Outcome free = Gang({"--workers", "2"}, "echo $MASTER_PORT");
  const std::vector<std::string> lines = Lines(free.out);
  ASSERT_EQ(lines.size(), 2u) << free.err;
  EXPECT_EQ(lines[0].substr(4), lines[1].substr(4));
  const UniqueFd taken(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  auto* const at = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(::bind(taken.get(), at, size), 0);
  ASSERT_EQ(::listen(taken.get(), 1), 0);
  ASSERT_EQ(::getsockname(taken.get(), at, &size), 0);
  const std::string port = std::to_string(ntohs(address.sin_port));
  const Outcome refused = Gang({"--port", port}, "true");
  EXPECT_EQ(refused.exit, 4);
  EXPECT_THAT(refused.err, HasSubstr("port " + port + " is taken"));
}

TEST_F(Programs, ThatCloseTheirOutputAreStillWatched) {
  const Outcome outcome = Gang({"--workers", "2"}, "exec >&- 2>&-; sleep 0.2; exit $((RANK * 4))");
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_THAT(outcome.err, HasSubstr("rank 1: sh exited with code 4"));
}

// Whichever of the processes above it is killed (its keeper, the rank's process, the driver),
// nothing of a program remains.
TEST_F(Programs, EndWithThoseThatKeepThem) {
  const std::string daemon = "setsid sh -c 'trap \"\" TERM; (exec >&- 2>&-; sleep 60) & wait' & ";
  const std::string start = daemon +
                            "echo > $PT_FOLDER/up.$RANK; [ $RANK = 0 ] && exec sleep 60; "
                            "while [ ! -e $PT_FOLDER/up.0 ]; do sleep 0.01; done; ";
  const auto run = [&](const std::string& script, const char* expected) {
    Running command(Command({"--workers", "2"}, {"/bin/sh", "-c", start + script}), scratch_.path(),
                    Variables());
    const Outcome outcome = command.Wait();
    EXPECT_EQ(outcome.exit, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(expected));
    EXPECT_TRUE(EndWithin(command.Descendants(), std::chrono::seconds(5))) << expected;
    for (const char* each : {"up.0", "up.1"}) fs::remove(scratch_.path() / each);
  };
  run("kill -9 $(awk '{print $4}' /proc/$PPID/stat); sleep 60", "rank 1 was killed by signal 9");
  Running command(Command({"--workers", "2"}, {"/bin/sh", "-c", start + "sleep 60"}),
                  scratch_.path(), Variables());
  ASSERT_TRUE(command.AwaitChange(scratch_.path(), [&] {
    return fs::exists(scratch_.path() / "up.0") && fs::exists(scratch_.path() / "up.1");
  }));
  const std::vector<pid_t> all = command.Descendants();
  EXPECT_GE(all.size(), 6u);
  command.Signal(SIGKILL);
  EXPECT_TRUE(EndWithin(all, std::chrono::seconds(5)));
}

TEST_F(Programs, MayEndWhileOthersGoOn) {
  const Outcome outcome = Gang({"--workers", "3"}, "[ $RANK = 0 ] || sleep 0.5; echo done");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(Lines(outcome.out), testing::ElementsAre("[0] done", "[1] done", "[2] done"));
}

TEST_F(Programs, PrintWithoutLineBreaksAndFillNoMemory) {
  const Outcome outcome =
      Gang({"--workers", "2"},
           "[ $RANK = 0 ] && exec echo over; head -c 100000000 /dev/zero; echo; echo end");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_LT(outcome.out.size(), 30'000u);
  EXPECT_THAT(outcome.out, HasSubstr("... (99995904 bytes more)\n"));
  EXPECT_THAT(outcome.out, HasSubstr("[1] end\n"));
  EXPECT_THAT(outcome.out, HasSubstr("[0] over\n"));
}

// As Gloo does in Horovod: each rank writes its address, and asks for those of the others.
TEST_F(Programs, MeetThroughHorovodsRendezvous) {
  const std::string meet = R"(
import os, time, urllib.request, urllib.error
me, size = os.environ['HOROVOD_RANK'], int(os.environ['HOROVOD_SIZE'])
store = 'http://%s:%s/global_/' % (os.environ['HOROVOD_GLOO_RENDEZVOUS_ADDR'],
                                   os.environ['HOROVOD_GLOO_RENDEZVOUS_PORT'])
def ask(method, key, data=None):
    return urllib.request.urlopen(urllib.request.Request(store + key, data, method=method)).read()
def wait(key):
    while True:
        try: return ask('GET', key).decode()
        except urllib.error.HTTPError as error:
            assert error.code == 404
            time.sleep(0.01)
ask('PUT', me, b'address of %d' % int(me))
print([wait(str(rank)) for rank in range(size)], os.environ['HOROVOD_CONTROLLER'])
ask('DELETE', me)
)";
  Running command(Command({"--workers", "3"}, {"python3", "-c", meet}), scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const std::string all = "['address of 0', 'address of 1', 'address of 2'] gloo";
  EXPECT_THAT(Lines(outcome.out), testing::ElementsAre("[0] " + all, "[1] " + all, "[2] " + all));
}

// With the Python that PROTIUM_TEST_HOROVOD names, or that of the benches.
TEST_F(Programs, OfHorovodMeetAndMeetAgain) {
  const char* const named = std::getenv("PROTIUM_TEST_HOROVOD");
  const fs::path python =
      named != nullptr ? named : Repository() / ".deps/peers-horovod/bin/python3";
  if (!fs::exists(python)) GTEST_SKIP() << "no Horovod: bench/peers/horovod.sh builds it";
  Running look({python.string(), "-c", "import horovod.torch"}, scratch_.path());
  if (look.Wait().exit != 0) GTEST_SKIP() << python << " has no Horovod";
  const std::string script = (Repository() / "tests/whole/hvd.py").string();
  Running command(Command({"--workers", "2"}, {python.string(), script}), scratch_.path());
  const Outcome outcome = command.Wait();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  const std::string zero = "[0] rank 0 of 2 has [3.0, 3.0, 3.0, 3.0]";
  const std::string one = "[1] rank 1 of 2 has [3.0, 3.0, 3.0, 3.0]";
  EXPECT_THAT(Lines(outcome.out), testing::ElementsAre(zero, zero, one, one));
}

// An unmodified torch.distributed script that is killed while it runs.
TEST_F(Programs, OfTorchGoOnFromTheirCheckpoints) {
  const std::string python = (Repository() / ".deps/peers/bin/python3").string();
  if (!fs::exists(python)) GTEST_SKIP() << "no PyTorch: bench/peers/setup.sh sets it up";
  const std::string script = (Repository() / "tests/whole/ddp.py").string();
  const std::string checkpoint = (scratch_.path() / "checkpoint").string();
  Running command(
      Command({"--workers", "2", "--restarts", "1"}, {python, script, checkpoint, "die"}),
      scratch_.path());
  const Outcome outcome = command.Wait(std::chrono::seconds(600));  // Importing torch takes long.
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("[1] continues after epoch 2\n"));
  EXPECT_THAT(outcome.err, HasSubstr("restart  rank 1: python3 was killed by signal 9 (SIGKILL)"));
  std::vector<std::string> weights;
  for (const std::string& line : Lines(outcome.out)) {
    if (line.find("] weights ") != line.npos) weights.push_back(line.substr(3));
  }
  ASSERT_EQ(weights.size(), 2u) << outcome.out;
  EXPECT_EQ(weights[0], weights[1]);
}

}  // namespace
}  // namespace protium::whole
