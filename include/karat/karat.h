/* karat.h - all of Karat's stable C face. */
#ifndef KARAT_KARAT_H
#define KARAT_KARAT_H

#include <karat/attention.h>
#include <karat/autocast.h>
#include <karat/conversions.h>
#include <karat/base.h>
#include <karat/batch.h>
#include <karat/device.h>
#include <karat/dtype.h>
#include <karat/grad.h>
#include <karat/lineage.h>
#include <karat/linalg.h>
#include <karat/mode.h>
#include <karat/module.h>
#include <karat/ops.h>
#include <karat/optim.h>
#include <karat/profiler.h>
#include <karat/random.h>
#include <karat/scaler.h>
#include <karat/tensor.h>

#endif
