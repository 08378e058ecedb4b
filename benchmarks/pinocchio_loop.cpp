// Pinocchio's algorithms in a loop, for benchmarks/speed.py, which says how to build it.
//
// Standard input: the number of joints; gravity; for each joint (parents first, the base is -1): its parent, its
// placement in the parent's frame as three rows of four numbers, its armature, its link's mass, centre of mass and six
// moments about that (xx xy yy xz yz zz), all in the joint's frame; the number of states; for each state q, v and the
// third argument (accelerations; torques of the forward dynamics). Each joint turns about its own z. Then commands:
// "show NAME" prints the results at all states, a line each; "time NAME" prints nanoseconds of processor time per state
// of a pass over all states, repeated for about ten milliseconds.

#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>

#include <cstdio>
#include <ctime>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace pinocchio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

static double number()
{
  double value;
  std::cin >> value;
  return value;
}

static VectorXd numbers(int count)
{
  VectorXd values(count);
  for (int i = 0; i < count; ++i)
    values[i] = number();
  return values;
}

// Time that this thread ran: what other processes take does not count.
static double processor_nanoseconds()
{
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * double(time.tv_sec) + double(time.tv_nsec);
}

static Model model_read()
{
  Model model;
  const int n = int(number());
  model.gravity.linear() = numbers(3);
  VectorXd armature(n);
  for (int k = 0; k < n; ++k)
  {
    const int parent = int(number());
    const VectorXd rows = numbers(12);
    SE3 placement;
    for (int i = 0; i < 3; ++i)
    {
      placement.rotation().row(i) = rows.segment(4 * i, 3).transpose();
      placement.translation()[i] = rows[4 * i + 3];
    }
    armature[k] = number();
    const double mass = number();
    const Eigen::Vector3d center = numbers(3);
    const VectorXd six = numbers(6);
    Eigen::Matrix3d inertia;
    inertia << six[0], six[1], six[3], six[1], six[2], six[4], six[3], six[4], six[5];
    const auto joint = model.addJoint(parent + 1, JointModelRZ(), placement, "joint" + std::to_string(k + 1));
    model.appendBodyToJoint(joint, Inertia(mass, center, inertia), SE3::Identity());
  }
  model.armature = armature;
  return model;
}

// One pass over all states, and the result at the last one computed.
struct Algorithm
{
  std::function<void(int, int)> pass;
  std::function<VectorXd()> result;
};

template<typename Call>
static Algorithm algorithm(Call call, std::function<VectorXd()> result)
{
  return {
    [call](int first, int last) {
      for (int k = first; k < last; ++k)
        call(k);
    },
    result};
}

static VectorXd flat(const MatrixXd & matrix)
{
  const MatrixXd turned = matrix.transpose(); // row by row
  return Eigen::Map<const VectorXd>(turned.data(), turned.size());
}

int main()
{
  const Model model = model_read();
  Data data(model);
  const int count = int(number());
  std::vector<VectorXd> q, v, a;
  for (int k = 0; k < count; ++k)
  {
    q.push_back(numbers(model.nq));
    v.push_back(numbers(model.nv));
    a.push_back(numbers(model.nv));
  }
  const auto torques = [&] { return VectorXd(data.tau); };
  const auto effects = [&] { return VectorXd(data.nle); };
  const auto gravity = [&] { return VectorXd(data.g); };
  const auto accelerations = [&] { return VectorXd(data.ddq); };
  const auto mass_matrix = [&] {
    const MatrixXd upper = data.M.triangularView<Eigen::Upper>();
    const MatrixXd strict = data.M.triangularView<Eigen::StrictlyUpper>();
    return flat(upper + strict.transpose());
  };
  const auto derivatives = [&] {
    VectorXd both(2 * model.nv * model.nv);
    both << flat(data.dtau_dq), flat(data.dtau_dv);
    return both;
  };
  std::map<std::string, Algorithm> algorithms;
  algorithms["rnea"] = algorithm([&](int k) { rnea(model, data, q[k], v[k], a[k]); }, torques);
  algorithms["crba"] = algorithm([&](int k) { crba(model, data, q[k], Convention::LOCAL); }, mass_matrix);
  algorithms["crba-world"] = algorithm([&](int k) { crba(model, data, q[k], Convention::WORLD); }, mass_matrix);
  algorithms["computeGeneralizedGravity"] =
    algorithm([&](int k) { computeGeneralizedGravity(model, data, q[k]); }, gravity);
  algorithms["nonLinearEffects"] = algorithm([&](int k) { nonLinearEffects(model, data, q[k], v[k]); }, effects);
  algorithms["aba"] = algorithm([&](int k) { aba(model, data, q[k], v[k], a[k], Convention::LOCAL); }, accelerations);
  algorithms["aba-world"] =
    algorithm([&](int k) { aba(model, data, q[k], v[k], a[k], Convention::WORLD); }, accelerations);
  algorithms["computeRNEADerivatives"] =
    algorithm([&](int k) { computeRNEADerivatives(model, data, q[k], v[k], a[k]); }, derivatives);

  std::string command, name;
  while (std::cin >> command >> name)
  {
    const Algorithm & chosen = algorithms.at(name);
    if (command == "show")
    {
      for (int k = 0; k < count; ++k)
      {
        chosen.pass(k, k + 1);
        const VectorXd values = chosen.result();
        for (int i = 0; i < values.size(); ++i)
          std::printf(i ? " %.17g" : "%.17g", values[i]);
        std::printf("\n");
      }
    }
    else
    {
      long passes = 0;
      const double start = processor_nanoseconds();
      double spent;
      do
      {
        chosen.pass(0, count);
        ++passes;
        spent = processor_nanoseconds() - start;
      } while (spent < 1e7);
      std::printf("%.6g\n", spent / double(passes * count));
    }
    std::fflush(stdout);
  }
  return 0;
}
