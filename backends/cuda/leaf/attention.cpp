/* attention.cpp - attention and its gradients by cuDNN, through its frontend for C++ (headers alone). A kind of call - sizes,
 * strides, dtype - becomes a graph once, and the library's plan for it is kept.
 *
 * In: operands of 16 bits on the current device. Out: a launch on the stream. Independent of: Karat's plans, its memory. */
#include <dlfcn.h>
#include <string.h>

/* The frontend looks for a runtime by itself; it is to take the one that it is given. */
static void *runtime_library;
static void *open_given(const char *name, int how)
{
    return strncmp(name, "libcudart", 9) == 0 ? strstr(name, ".so.12") ? nullptr : runtime_library : dlopen(name, how);
}
#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#define NV_CUDNN_FRONTEND_DISABLE_LOGGING
#define dlopen open_given
#include <cudnn_frontend.h>
#undef dlopen

#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "leaf.h"

namespace cudnn_frontend {
void *cudnn_dlhandle = nullptr;
}

namespace {
namespace fe = cudnn_frontend;
using fe::graph::Tensor_attributes;
typedef std::shared_ptr<Tensor_attributes> tensor;

enum { MOST_KINDS = 512, MOST_DEVICES = 64 };

/* What a plan depends on, as bytes. */
struct key {
    int64_t size[LEAF_PLACES][LEAF_DIMS], stride[LEAF_PLACES][LEAF_DIMS];
    int64_t device, flags;
    double  scale;
    bool operator==(const key &other) const { return memcmp(this, &other, sizeof *this) == 0; }
};
struct hash {
    size_t operator()(const key &k) const
    {
        uint64_t words[sizeof k / 8], sum = 0;
        memcpy(words, &k, sizeof k);
        for (uint64_t word : words)
            sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15), sum ^= sum >> 29;
        return sum;
    }
};

struct kind {
    std::unique_ptr<fe::graph::Graph> graph; /* none: the library has no way */
    int64_t                           workspace = 0;
    std::list<key>::iterator          age;
};

std::mutex                          lock;
cudnnHandle_t                       handles[MOST_DEVICES];
std::unordered_map<key, kind, hash> kinds;
std::list<key>                      ages; /* the one that was used last is the first */

key key_of(const leaf_attention &a)
{
    key k;
    memset(&k, 0, sizeof k);
    for (int i = 0; i < LEAF_PLACES; i++) {
        memcpy(k.size[i], a.at[i].size, sizeof k.size[i]);
        memcpy(k.stride[i], a.at[i].stride, sizeof k.stride[i]);
    }
    k.device = a.device;
    k.flags = a.back | a.bf16 << 1 | a.causal << 2 | a.same_bits << 3;
    k.scale = a.scale;
    return k;
}

bool is_given(const leaf_attention &a, int place) { return a.at[place].data != nullptr; }

Tensor_attributes described(const leaf_attention &a, int place)
{
    const leaf_tensor &t = a.at[place];
    Tensor_attributes  made;
    made.set_dim({t.size, t.size + LEAF_DIMS}).set_stride({t.stride, t.stride + LEAF_DIMS}).set_uid(place + 1);
    if (place == LEAF_SUMS)
        made.set_data_type(fe::DataType_t::FLOAT);
    return made;
}

/* An output of a graph is written as it lies in memory. */
void place_output(const tensor &t, const leaf_attention &a, int place)
{
    const leaf_tensor &to = a.at[place];
    t->set_output(true).set_dim({to.size, to.size + LEAF_DIMS}).set_stride({to.stride, to.stride + LEAF_DIMS});
    t->set_uid(place + 1);
    if (place == LEAF_SUMS)
        t->set_data_type(fe::DataType_t::FLOAT);
}

void describe_forward(fe::graph::Graph &g, const leaf_attention &a)
{
    fe::graph::SDPA_attributes how;
    how.set_name("attention").set_generate_stats(is_given(a, LEAF_SUMS)).set_attn_scale((float)a.scale);
    if (a.causal)
        how.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    const tensor q = g.tensor(described(a, LEAF_QUERY)), k = g.tensor(described(a, LEAF_KEY)), v = g.tensor(described(a, LEAF_VALUE));
    const auto   made = g.sdpa(q, k, v, how);
    place_output(made[0], a, LEAF_OUT);
    if (is_given(a, LEAF_SUMS))
        place_output(made[1], a, LEAF_SUMS);
}

void describe_back(fe::graph::Graph &g, const leaf_attention &a)
{
    fe::graph::SDPA_backward_attributes how;
    how.set_name("attention_back").set_attn_scale((float)a.scale).set_deterministic_algorithm(a.same_bits);
    if (a.causal)
        how.set_diagonal_alignment(fe::DiagonalAlignment_t::TOP_LEFT).set_diagonal_band_right_bound(0);
    const tensor q = g.tensor(described(a, LEAF_QUERY)), k = g.tensor(described(a, LEAF_KEY)), v = g.tensor(described(a, LEAF_VALUE));
    const tensor out = g.tensor(described(a, LEAF_OUT)), grad = g.tensor(described(a, LEAF_GRAD));
    const auto   made = g.sdpa_backward(q, k, v, out, grad, g.tensor(described(a, LEAF_SUMS)), how);
    for (int i = 0; i < 3; i++)
        place_output(made[(size_t)i], a, LEAF_TO_QUERY + i);
}

/* A graph with its plan, or none. */
std::unique_ptr<fe::graph::Graph> make(const leaf_attention &a, int64_t &workspace)
{
    auto g = std::make_unique<fe::graph::Graph>();
    g->set_io_data_type(a.bf16 ? fe::DataType_t::BFLOAT16 : fe::DataType_t::HALF);
    g->set_intermediate_data_type(fe::DataType_t::FLOAT).set_compute_data_type(fe::DataType_t::FLOAT);
    a.back ? describe_back(*g, a) : describe_forward(*g, a);
    const cudnnHandle_t h = handles[a.device];
    const bool good = g->validate().is_good() && g->build_operation_graph(h).is_good() &&
                      g->create_execution_plans({fe::HeurMode_t::A}).is_good() && g->check_support().is_good() &&
                      g->build_plans().is_good() && g->get_workspace_size(workspace).is_good();
    return good ? std::move(g) : nullptr;
}

kind &kind_of(const leaf_attention &a)
{
    const key k = key_of(a);
    auto      found = kinds.find(k);
    if (found != kinds.end()) {
        ages.splice(ages.begin(), ages, found->second.age);
        return found->second;
    }
    if (kinds.size() >= MOST_KINDS) {
        kinds.erase(ages.back());
        ages.pop_back();
    }
    kind made;
    made.graph = make(a, made.workspace);
    ages.push_front(k);
    made.age = ages.begin();
    return kinds.emplace(k, std::move(made)).first->second;
}

bool has_handle(int device)
{
    if (device < 0 || device >= MOST_DEVICES || !fe::cudnn_dlhandle)
        return false;
    return handles[device] || fe::detail::create_handle(&handles[device]) == CUDNN_STATUS_SUCCESS;
}

void say(char *text, size_t room, const char *what) { snprintf(text, room, "%s", what); }

/* What the library throws is an answer too. */
template <class F> leaf_status guarded(char *text, size_t room, F f) noexcept
{
    try {
        const std::lock_guard<std::mutex> held(lock);
        return f();
    } catch (const std::exception &e) {
        say(text, room, e.what());
    } catch (...) {
        say(text, room, "an unknown exception");
    }
    return LEAF_FAILED;
}

void open(void *cudnn, void *runtime)
{
    fe::cudnn_dlhandle = cudnn;
    runtime_library = runtime;
}

leaf_status prepare(const leaf_attention *a, size_t *workspace, char *text, size_t room)
{
    return guarded(text, room, [&] {
        if (!has_handle(a->device))
            return LEAF_DECLINED;
        const kind &k = kind_of(*a);
        *workspace = (size_t)k.workspace;
        return k.graph ? LEAF_DONE : LEAF_DECLINED;
    });
}

leaf_status run(const leaf_attention *a, void *stream, void *workspace, char *text, size_t room)
{
    return guarded(text, room, [&] {
        const kind         &k = kind_of(*a);
        const cudnnHandle_t h = handles[a->device];
        if (!k.graph)
            return LEAF_DECLINED;
        if (fe::detail::set_stream(h, (cudaStream_t)stream) != CUDNN_STATUS_SUCCESS) {
            say(text, room, "the stream is not taken");
            return LEAF_FAILED;
        }
        std::unordered_map<int64_t, void *> at;
        for (int i = 0; i < LEAF_PLACES; i++)
            if (is_given(*a, i))
                at.emplace(i + 1, a->at[i].data);
        auto status = k.graph->execute(h, at, workspace);
        if (status.is_good())
            return LEAF_DONE;
        say(text, room, status.get_message().c_str());
        return LEAF_FAILED;
    });
}
}  // namespace

extern "C" const leaf_calls karat_cudnn_leaf = {LEAF_VERSION, open, prepare, run};
