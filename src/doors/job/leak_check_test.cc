// SPDX-License-Identifier: Apache-2.0
#include "job/leak_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "base/fault.h"
#include "job/read_job.h"
#include "os/file.h"
#include "os/temporary_folder.h"

namespace protium {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Draws rows of a table: numbers and choices from one generator.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double Normal() { return normal_(random_); }
  int Below(int most) { return int(random_() % unsigned(most)); }

 private:
  std::mt19937 random_;
  std::normal_distribution<double> normal_;
};

class LeakCheck : public testing::Test {
 protected:
  // A job of trees that learns y from all columns but those in `beside`, and what is found in its
  // table of `rows` rows.
  std::vector<std::string> Find(const std::string& header, int rows, bool classes,
                                const std::function<std::string(int)>& row,
                                const std::string& sections = "[split]\ntest = 0.2\n",
                                const std::string& beside = "") {
    std::string text = header + ",y\n";
    for (int i = 0; i < rows; ++i) text += row(i) + "\n";
    EXPECT_TRUE(WriteFile(folder_.path() / "t.csv", text).ok());
    std::string inputs;
    std::stringstream names(header);
    for (std::string name; std::getline(names, name, ',');) {
      if (name != beside) inputs += (inputs.empty() ? "\"" : ", \"") + name + "\"";
    }
    const std::string job = fmt::format(
        "[tables]\nt = {{ csv = \"t.csv\" }}\n[etl]\nsql = \"SELECT * FROM t\"\n{}[[pipeline]]\n"
        "kind = \"tree_estimator\"\nnumeric = [{}]\nlabel = \"y\"\nloss = \"{}\"\n",
        sections, inputs, classes ? "binary_cross_entropy" : "mse");
    EXPECT_TRUE(WriteFile(folder_.path() / "job.toml", job).ok());
    return FindInJob(rows);
  }
  std::vector<std::string> FindInJob(int rows, const std::vector<std::string>& sets = {}) {
    const auto job = ReadJob(folder_.path() / "job.toml", sets);
    EXPECT_TRUE(job.ok()) << FaultOf(job.status()).what;
    SessionOptions options;
    options.base = job->file.data;
    const auto session = OpenSession(options);
    EXPECT_TRUE(session.ok()) << FaultOf(session.status()).what;
    const auto frames = OpenJob(**session, *job);
    EXPECT_TRUE(frames.ok()) << FaultOf(frames.status()).what;
    const auto look = LookForLeaks(*job, *frames, rows);
    EXPECT_TRUE(look.ok()) << FaultOf(look.status()).what;
    return look->findings;
  }
  TemporaryFolder folder_ = TemporaryFolder::Make().ValueOrDie();
};

TEST_F(LeakCheck, NamesTheColumnAndWhatToWrite) {
  Draw draw(1);
  const auto found = Find("age,boat", 1500, true, [&](int) {
    const bool survived = draw.Below(3) == 0;
    const bool boat = survived ? draw.Below(50) > 0 : draw.Below(100) == 0;
    return fmt::format("{},{},{}", draw.Below(80), boat ? std::to_string(draw.Below(16)) : "",
                       survived ? 1 : 0);
  });
  EXPECT_THAT(found, ElementsAre(AllOf(
                         HasSubstr("boat gives y away in all but "),
                         HasSubstr("by whether it is missing; to leave it out, delete "
                                   "it from numeric of tree_estimator; if it is known when you "
                                   "predict: [leaks] known = [\"boat\"]"))));
  EXPECT_THAT(FindInJob(1500, {"leaks.known=[\"boat\"]"}), IsEmpty());
  EXPECT_THAT(FindInJob(1500, {"leaks.look=false"}), IsEmpty());
}

TEST_F(LeakCheck, NamesSumsAndCopiesOfTheLabel) {
  Draw draw(2);
  const auto found = Find("casual,registered,temp,copy", 900, false, [&](int) {
    const int casual = draw.Below(300), registered = draw.Below(2000);
    return fmt::format("{},{},{:.2f},{},{}", casual, registered, draw.Normal(), casual + registered,
                       casual + registered);
  });
  EXPECT_THAT(found, ElementsAre(HasSubstr("casual is part of y = casual + registered"),
                                 HasSubstr("copy equals y in every row"),
                                 HasSubstr("registered is part of y = casual + registered")));
}

// As below, in a job that also holds validation rows out.
TEST_F(LeakCheck, NamesValidationRowsThatTrainingHasSeen) {
  Draw draw(7);
  std::string before;
  const auto found = Find(
      "id,a,b", 2000, false,
      [&](int i) {
        const double a = draw.Normal(), b = draw.Normal();
        if (i % 5 != 1) before = fmt::format("{:.6f},{:.6f},{:.6f}", a, b, a + b + draw.Normal());
        return fmt::format("{},{}", i, before);
      },
      "[split]\nby = [\"a\", \"b\"]\ntest = 0.2\n[train]\nvalidation = { share = 0.2 }\n", "id");
  EXPECT_THAT(found, ElementsAre(AllOf(
                         HasSubstr("% of the validation rows have the inputs and the label of a "
                                   "training row"),
                         HasSubstr("train.validation.by = [\"a\", \"b\"], the inputs"))));
  EXPECT_THAT(FindInJob(2000, {"train.validation.by=[\"a\",\"b\"]"}), IsEmpty());
  EXPECT_THAT(FindInJob(2000, {"leaks.duplicates=false"}), IsEmpty());
}

// Every tenth row is there twice, with another id.
TEST_F(LeakCheck, NamesRowsOnBothSidesOfTheSplit) {
  Draw draw(3);
  std::string before;
  const auto found = Find(
      "id,a,b", 2000, false,
      [&](int i) {
        const double a = draw.Normal(), b = draw.Normal();
        if (i % 10 != 1) before = fmt::format("{:.6f},{:.6f},{:.6f}", a, b, a + b + draw.Normal());
        return fmt::format("{},{}", i, before);
      },
      "[split]\ntest = 0.2\n", "id");
  EXPECT_THAT(found, ElementsAre(AllOf(HasSubstr("% of the test rows have the inputs and the label "
                                                 "of a training row"),
                                       HasSubstr("[split] by = [\"a\", \"b\"]"))));
  EXPECT_THAT(FindInJob(2000, {"split.by=[\"a\",\"b\"]"}), IsEmpty());
  EXPECT_THAT(FindInJob(2000, {"leaks.duplicates=false"}), IsEmpty());
}

TEST_F(LeakCheck, NamesGroupsOnBothSidesOfTheSplit) {
  Draw draw(4);
  double own = 0;
  const auto found = Find(
      "patient_id,a", 2000, false,
      [&](int i) {
        if (i % 8 == 0) own = draw.Normal();
        return fmt::format("{},{:.5f},{:.5f}", 1000 + i / 8, draw.Normal(), own + draw.Normal());
      },
      "[split]\ntest = 0.2\n", "patient_id");
  EXPECT_THAT(found,
              ElementsAre(AllOf(HasSubstr("% of the test rows have a patient_id that training rows "
                                          "have, too"),
                                HasSubstr("[split] by = [\"patient_id\"]"))));
  EXPECT_THAT(FindInJob(2000, {"split.by=[\"patient_id\"]"}), IsEmpty());
  EXPECT_THAT(FindInJob(2000, {"leaks.known=[\"patient_id\"]"}), IsEmpty());
}

// More rows than are looked at: a sample by the inputs holds both copies of a row.
TEST_F(LeakCheck, FindsThemInASampleOfManyRows) {
  Draw draw(5);
  std::string before;
  const auto found = Find(
      "id,a", 60'000, true,
      [&](int i) {
        const double a = draw.Normal();
        if (i % 10 != 1) before = fmt::format("{:.7f},{}", a, a + draw.Normal() > 0 ? 1 : 0);
        return fmt::format("{},{}", i, before);
      },
      "[split]\ntest = 0.2\n", "id");
  EXPECT_THAT(found, ElementsAre(HasSubstr("(in a sample of ")));
}

struct CleanTable {
  const char* header;
  bool classes;
  std::function<std::string(Draw&, int)> row;
  const char* beside = "";
  const char* sections = "[split]\ntest = 0.2\n";
};

int Flag(bool yes) { return yes ? 1 : 0; }

std::string SexAndClass(Draw& draw) {
  const int sex = draw.Below(2), class_of = draw.Below(3);
  return fmt::format("{},{},{}", sex, class_of, Flag(draw.Below(10) < 3 + 4 * sex - class_of));
}

std::vector<CleanTable> TablesOfClasses() {
  return {{"a,b", true,
           [](Draw& d, int) {
             const double a = d.Normal();
             return fmt::format("{:.4f},{:.4f},{}", a, d.Normal(), Flag(a + 0.3 * d.Normal() > 0));
           }},
          // A rare class, and a column that is missing more often in it.
          {"a,b", true,
           [](Draw& d, int) {
             const bool y = d.Below(30) == 0, gap = d.Below(10) < (y ? 6 : 2);
             return fmt::format("{},{:.3f},{}", gap ? "" : std::to_string(d.Below(9)),
                                d.Normal() + (y ? 1 : 0), Flag(y));
           }},
          // Inputs of few values: most rows are equal to others.
          {"sex,class", true, [](Draw& d, int) { return SexAndClass(d); }},
          {"id,sex,class", true,
           [](Draw& d, int i) { return fmt::format("{},{}", i, SexAndClass(d)); }, "id"},
          // Sensors that measure nearly the same.
          {"s1,s2,s3", true, [](Draw& d, int) {
             const double z = d.Normal();
             const auto read = [&] { return z + 0.3 * d.Normal(); };
             return fmt::format("{:.3f},{:.3f},{:.3f},{}", read(), read(), read(), Flag(z > 1));
           }}};
}

std::vector<CleanTable> TablesOfNumbers() {
  return {
      {"a,b,c", false,
       [](Draw& d, int) {
         const double a = d.Normal(), b = d.Normal();
         return fmt::format("{:.4f},{:.4f},{:.4f},{:.4f}", a, b, d.Normal(), a - b + d.Normal());
       }},
      // Customers whose rows are not alike.
      {"customer_id,amount", false,
       [](Draw& d, int) {
         const double amount = std::exp(d.Normal());
         return fmt::format("{},{:.2f},{:.2f}", d.Below(400), amount, 2 * amount + d.Normal());
       },
       "customer_id"},
      // Many rows of each of a few stores, which differ: stores are categories.
      {"store_id,day", false,
       [](Draw& d, int i) {
         const int store = d.Below(30);
         return fmt::format("{},{},{:.3f}", store, i % 365, store + d.Normal());
       }},
      // Patients with alike rows, held together.
      {"patient_id,a", false,
       [](Draw& d, int i) {
         return fmt::format("{},{:.4f},{:.4f}", i / 6, d.Normal(), (i / 6) % 7 + d.Normal());
       },
       "patient_id", "[split]\nby = [\"patient_id\"]\n"},
      // Counts with a heavy tail.
      {"a,b", false,
       [](Draw& d, int) {
         const int a = int(std::exp(2 + d.Normal()));
         return fmt::format("{},{},{}", a, d.Below(50), a + int(std::exp(1 + d.Normal())));
       }},
      // An area that nearly decides the price.
      {"area,rooms", false,
       [](Draw& d, int) {
         const int area = 30 + d.Below(120);
         return fmt::format("{},{},{:.0f}", area, 1 + area / 30, 3000 * area + 9000 * d.Normal());
       }},
      // In the order of time, with a trend.
      {"day,a", false,
       [](Draw& d, int i) {
         return fmt::format("{},{:.3f},{:.3f}", i, d.Normal(), 0.01 * i + 3 * d.Normal());
       },
       "", "[split]\nby_time = \"day\"\n"}};
}

// Tables of different shapes in which columns say much about the label, and none says all.
TEST_F(LeakCheck, IsSilentOnCleanTables) {
  std::vector<CleanTable> tables = TablesOfClasses();
  for (CleanTable& each : TablesOfNumbers()) tables.push_back(std::move(each));
  unsigned number = 0;
  for (const CleanTable& each : tables) {
    Draw draw(100 + number);
    const auto row = [&](int i) { return each.row(draw, i); };
    EXPECT_THAT(Find(each.header, 1500, each.classes, row, each.sections, each.beside), IsEmpty())
        << "table " << number;
    ++number;
  }
}

}  // namespace
}  // namespace protium
