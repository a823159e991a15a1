/* attention_bf16.c - attention of bfloat16s by tiles of the processor, where there are. */
#include "cpu/isa/types/f32.h"

#include "cpu/isa/tile.h"

#include "cpu/attention/attention.h"
#include "cpu/isa/amx.h"

#ifdef KT_AMX
#include "cpu/isa/attention_pack.inc.c"
#include "cpu/isa/attention_panel.inc.c"
#include "cpu/isa/attention_bf16.inc.c"
#include "cpu/isa/attention_bf16_back.inc.c"

const kt__cpu_attends KT__CPU_PART(attention, bf16, KT_ISA) = {
    .needs    = AMX_NEEDS,
    .forward  = attention_forward,
    .backward = attention_backward,
};
#else
const kt__cpu_attends KT__CPU_PART(attention, bf16, KT_ISA) = {0};
#endif
