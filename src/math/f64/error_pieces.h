/* error_pieces.h - erf and erfc of float64 by polynomials, one for each of 16 pieces of their range.
 *
 * A function comes in parts, as math/f32/pieces.h says. tools/pieces.py made the tables and says what the columns are. In and
 * out: double; bounds.def says how exact. Independent of: tensors, tiles, dtypes. */
#ifndef KT_MATH_F64_ERROR_PIECES_H
#define KT_MATH_F64_ERROR_PIECES_H

#include "math/f64/pieces.h"

static KT_TABLE const double erf_pieces_f64[19][PIECES_F64] = {
    {0x0.0p+0, 0x1.1fe080p-1, 0x1.dfbaa0p-1, 0x1.5010e0p+0,
     0x1.aff700p+0, 0x1.0805b8p+1, 0x1.3805d0p+1, 0x1.67f298p+1,
     0x1.97fb38p+1, 0x1.c7ffe8p+1, 0x1.f805b8p+1, 0x1.140720p+2,
     0x1.2c0714p+2, 0x1.440720p+2, 0x1.5c0840p+2, 0x1.73ff10p+2},
    {0x0.0p+0, 0x1.259ec072e6155p-1, 0x1.a134949b622b2p-1, 0x1.df8cb715cb5a2p-1,
     0x1.f749400fa6a16p-1, 0x1.fe30dd05e1f3bp-1, 0x1.ffb5cf9b80462p-1, 0x1.fff6d9378ebe5p-1,
     0x1.ffff23ffe6cf8p-1, 0x1.fffff039e40ffp-1, 0x1.ffffff238edc8p-1, 0x1.fffffff6daeb6p-1,
     0x1.ffffffffb60cdp-1, 0x1.fffffffffe3a1p-1, 0x1.fffffffffff7cp-1, 0x1.ffffffffffffep-1},
    {0x1.06eba8214db69p-3, 0x1.a52471a4e3e5fp-1, 0x1.e04412b380fd5p-2, 0x1.9c6e57f4ab555p-3,
     0x1.0c194bde7ce8ap-4, 0x1.067dae7786949p-6, 0x1.84642ad5be6ffp-9, 0x1.b33a732cb87a5p-12,
     0x1.6e7aa1ddf92a6p-15, 0x1.d216069296176p-19, 0x1.bf39def95d6adp-23, 0x1.439b1a2239c12p-27,
     0x1.623c5f965bf7fp-32, 0x1.24af465ed1558p-37, 0x1.6cd21812b8717p-43, 0x1.59bcdb78b4510p-49},
    {0x1.c438ab01d1e84p-67, -0x1.d9952ddd8498ap-2, -0x1.c1febe4f003afp-2, -0x1.0eb6019b96906p-2,
     -0x1.c4614323c7f63p-4, -0x1.0eb7790a0084cp-5, -0x1.d962e5bab912dp-8, -0x1.31f9b397a5ae4p-10,
     -0x1.24064cdfb7972p-13, -0x1.9f1b8801855dfp-17, -0x1.b841f646f1863p-21, -0x1.5cec39de00781p-25,
     -0x1.9f288b57885adp-30, -0x1.7275fa70d653dp-35, -0x1.eff95a7eb9549p-41, -0x1.f6652aca58440p-47},
    {-0x1.812746b0379e7p-2, -0x1.9cf9c764f482ap-4, 0x1.e3ff7f9fbbb60p-4, 0x1.505c307ddd37ap-3,
     0x1.a3850d4bd9d0bp-4, 0x1.4884b990cfdf6p-5, 0x1.6049d6ca76098p-7, 0x1.0cacfa3f43dd9p-9,
     0x1.26fdf2c5b3a5bp-12, 0x1.d98501f4a4f3dp-16, 0x1.179d5c371a051p-19, 0x1.e824ba31d956ep-24,
     0x1.3cfe11e5e776dp-28, 0x1.32816edda0bcep-33, 0x1.b9eaec0890809p-39, 0x1.df7cd8379c579p-45},
    {0x1.3c8d752883af7p-52, 0x1.75c58f3109aaap-3, 0x1.753f59986dcbap-4, -0x1.4271fba5c4e73p-6,
     -0x1.964b9a000296cp-5, -0x1.f1261b7761772p-6, -0x1.5e7c2c7f7c269p-7, -0x1.46c63ab60b9d1p-9,
     -0x1.a573810246f5ap-12, -0x1.8322bee0dbb49p-15, -0x1.00e9f15e91e4fp-18, -0x1.f1417f4642401p-23,
     -0x1.6236258c1c3fcp-27, -0x1.7484c310ac6dep-32, -0x1.220f99743c0e8p-37, -0x1.51e86371ab73cp-43},
    {0x1.ce2f21a042802p-4, -0x1.61dc925aa9775p-7, -0x1.1d16937a198cdp-4, -0x1.3ef9417ad476ap-5,
     0x1.683e2e8bb0ee7p-9, 0x1.aa24938d7c49bp-7, 0x1.d81f5e3522b3fp-8, 0x1.1ef70652363a9p-9,
     0x1.c0d3fc6763eb9p-12, 0x1.e0a3d912b86bdp-15, 0x1.6ab70c1af88bbp-18, 0x1.8850cef7cb1aep-22,
     0x1.34545794b755fp-26, 0x1.6238355833ff0p-31, 0x1.2ae6086ea3dc1p-36, 0x1.76d547aa29ac2p-42},
    {0x1.d68d51f605939p-42, -0x1.7e1c125217424p-5, -0x1.4fc5ccf0e10afp-9, 0x1.6d2460dabe010p-6,
     0x1.7eba04f8561e5p-7, -0x1.bda1a2150d073p-11, -0x1.89677af8ee104p-9, -0x1.6bb38b931707cp-10,
     -0x1.6c78943434d8dp-12, -0x1.d385fc9118291p-15, -0x1.9792fff961b44p-18, -0x1.f1b5b89ca645ap-22,
     -0x1.b294bb4c5591dp-26, -0x1.121058f2b23e7p-30, -0x1.f721080a463d9p-36, -0x1.5496bd9741c74p-41},
    {-0x1.b82ce314d5491p-6, 0x1.49ca2c141e46bp-7, 0x1.1abfa44cd4d4fp-6, 0x1.ddfc6fe52d7e3p-11,
     -0x1.9be9f267ff51ap-8, -0x1.543199b9e251ap-9, 0x1.896bc639861e5p-12, 0x1.372292d304972p-11,
     0x1.c2199139748cbp-13, 0x1.696efbf749d65p-15, 0x1.742e3ba65123fp-18, 0x1.03f395024d146p-21,
     0x1.fcab82f77b12fp-26, 0x1.624762bb2f35ep-30, 0x1.6346c6d99916fp-35, 0x1.047effa82ac60p-40},
    {0x1.ff2fabeefaafap-34, 0x1.192a6ae8bc364p-7, -0x1.c9e72d08a990fp-9, -0x1.4c9672d0418fep-8,
     0x1.378fe1623cbb5p-13, 0x1.8e99c83c7a253p-10, 0x1.b2a61c59d6587p-12, -0x1.f6e76eba5a6b9p-14,
     -0x1.94e8fcf36948ep-14, -0x1.bb6f9066c6d5bp-16, -0x1.170b4f7fa335dp-18, -0x1.c5ecc0e80cbc0p-22,
     -0x1.f7072ee9b1a81p-26, -0x1.85b1d8fe1edc9p-30, -0x1.ad178d12b8767p-35, -0x1.5609b9e472021p-40},
    {0x1.565bc8129670bp-8, -0x1.8d06a215af55ep-9, -0x1.587d11a4917a4p-9, 0x1.559fcd3811801p-10,
     0x1.31c62f6b63ff5p-10, -0x1.93476feed19b8p-13, -0x1.37f351a1dfb1ep-12, -0x1.536fe750f02aep-15,
     0x1.bf09957f7d808p-16, 0x1.a4fdbbb5801acp-17, 0x1.579cb02d8254cp-19, 0x1.4df680e3a636cp-22,
     0x1.a920b7d7ac961p-26, 0x1.718e816d99e98p-30, 0x1.c173e03d1dc35p-35, 0x1.8724886b83753p-40},
    {0x1.24253779c8d51p-27, -0x1.36966219c8287p-10, 0x1.23eb94c3c515ap-10, 0x1.25a02dd729701p-11,
     -0x1.b874b7aae5890p-12, -0x1.90883811f97fcp-13, 0x1.2b4397b47c4c9p-14, 0x1.71b747318bceep-15,
     0x1.7b3b9da153e38p-23, -0x1.1c946c4d4bfbap-18, -0x1.56c814dbfca18p-20, -0x1.9ebfa514ffedep-23,
     -0x1.352ab60b8152bp-26, -0x1.30eddffafd3fap-30, -0x1.9c8abdee56e29p-35, -0x1.89e45f7df856ep-40},
    {-0x1.c033e98b52cb9p-11, 0x1.435fa4e30f793p-11, 0x1.f815d965f419fp-13, -0x1.6bc68eb5db449p-12,
     -0x1.040e8a1519a8bp-14, 0x1.b0681faf51fcdp-14, 0x1.1e30dfc1dc798p-16, -0x1.0af99cca56455p-16,
     -0x1.2b7966578f741p-18, 0x1.74687aa5c01f1p-21, 0x1.09e9b53b2ee03p-21, 0x1.afdf77962284bp-24,
     0x1.83e79ea6e1eb7p-27, 0x1.b873081a80621p-31, 0x1.4e584ffac4832p-35, 0x1.60435adc39091p-40},
    {0x1.9274a0534abf8p-23, 0x1.fe8347445eda3p-14, -0x1.b08fb458444ebp-13, -0x1.2c5aac04235a9p-17,
     0x1.5413ff1e43d7ep-14, -0x1.b4769542612acp-18, -0x1.29a558c493393p-16, 0x1.a2eb74f3567cfp-21,
     0x1.3a95f442f6639p-19, 0x1.ef4fb4ac12ac0p-23, -0x1.1a8f47f88d788p-23, -0x1.718454e7e7473p-25,
     -0x1.a2c8714931d12p-28, -0x1.174231b038295p-31, -0x1.e10bdb6ee4c50p-36, -0x1.19932e3b41c86p-40},
    {0x1.f74858dce941bp-14, -0x1.98fdd8a43d0f6p-14, -0x1.17898b7ba3567p-18, 0x1.a994193dcb1d7p-15,
     -0x1.9cdc45f81820fp-17, -0x1.a2975a1eae2ccp-17, 0x1.1d0f61780e2f6p-18, 0x1.ffc98a2532303p-20,
     -0x1.172ce242f8057p-21, -0x1.e18b9bf658a53p-23, 0x1.52be0a0295830p-27, 0x1.ed7fc2ad20dd0p-27,
     0x1.814065d25c1a5p-29, 0x1.36ce7e75f82e0p-32, 0x1.3425c4877e604p-36, 0x1.94386c434e9ecp-41},
    {0x1.47715a707db94p-20, -0x1.13c9282f9e55ap-17, 0x1.d1a1edd67704dp-16, -0x1.178b85ce648b6p-17,
     -0x1.0343d978f3b09p-17, 0x1.3036cd674be63p-18, 0x1.ce0981940e8dbp-21, -0x1.d2759ede3ec6dp-21,
     -0x1.36b1786724124p-24, 0x1.678e341b412e6p-24, 0x1.95ae20ea9b81dp-27, -0x1.b4b18d2d8ae1fp-29,
     -0x1.272344495b053p-30, -0x1.2e43ce1dd3a9ep-33, -0x1.5fc35c66a8807p-37, -0x1.052b3df6d0cbbp-41},
    {-0x1.1968f3818f5eep-16, 0x1.a9b5cd9e0c4a2p-17, -0x1.8c181873e6c91p-19, -0x1.43a53ce734608p-18,
     0x1.b5b58851fabdep-19, 0x1.3fe729237246ep-22, -0x1.b07a9bd36628fp-21, 0x1.812518deb4f2bp-24,
     0x1.9889d53e4f4a2p-24, -0x1.9c37993580328p-27, -0x1.fddf46a1926a9p-28, 0x1.ac202e7f07acfp-35,
     0x1.6452fa81997cap-32, 0x1.fc6983c4c8aa2p-35, 0x1.65988271acf43p-38, 0x1.30e3c8a7eba47p-42},
    {0x1.e2331aa1ba90bp-20, 0x1.5c20f97765f72p-24, -0x1.7ea635542f41cp-19, 0x1.cee7c62440ecbp-20,
     0x1.de396471a242ap-23, -0x1.419c34f53725cp-21, 0x1.2cf5a7f70deb0p-23, 0x1.2e22198735c93p-24,
     -0x1.f13f9d7d1e871p-26, -0x1.3991759fe9ec1p-28, 0x1.3537f3f61cf68p-29, 0x1.8480955191317p-32,
     -0x1.16cb803cadd5bp-34, -0x1.6cf3ce01a13cfp-36, -0x1.49cc8cd5f50ccp-39, -0x1.4cfa4512e7157p-43},
    {0x1.92131fab2fb2fp-21, -0x1.726787d924732p-20, 0x1.52c8fd7a61371p-21, 0x1.187eda0cb8ce4p-22,
     -0x1.a9d208039c3ebp-22, 0x1.db180d4a1f3f7p-24, 0x1.9a1938084f8bdp-25, -0x1.179cb9be6e3d9p-25,
     0x1.a47e8f249c139p-32, 0x1.b4242420b23efp-29, -0x1.e59ab21db8e13p-33, -0x1.8eba318f674dbp-33,
     -0x1.a38a58f9559e5p-41, 0x1.9d467c4636cadp-38, 0x1.034ba7303d0f4p-40, 0x1.3983606f5bfa9p-44},
};

static KT_TABLE const double erfc_pieces_f64[20][PIECES_F64] = {
    {0x1.ff8400p-3, 0x1.7fb300p-1, 0x1.3fda00p+0, 0x1.bfd9c0p+0,
     0x1.3ff700p+1, 0x1.bfe040p+1, 0x1.200140p+2, 0x1.6005e0p+2,
     0x1.c02700p+2, 0x1.1ffa80p+3, 0x1.5ff020p+3, 0x1.9fec60p+3,
     0x1.ffdac0p+3, 0x1.3ff740p+4, 0x1.7ff800p+4, 0x1.c01900p+4},
    {0x1.8a81e80815dcbp-1, 0x1.03a9ad116eb94p-1, 0x1.78c65229d19bep-2, 0x1.23e3ce4d24f33p-2,
     0x1.afc5f439afd26p-3, 0x1.3e1f99056070ep-3, 0x1.f5b08b7d95446p-4, 0x1.9d83de637eae4p-4,
     0x1.46c087990afefp-4, 0x1.fe7666527e92ep-5, 0x1.a2867e6c02e15p-5, 0x1.628c6d09fd5f1p-5,
     0x1.2062c340a329ap-5, 0x1.cda8602e8daf7p-6, 0x1.80d9e98b179aap-6, 0x1.49d97c53236d9p-6},
    {-0x1.7ca9bbbf6179fp-1, -0x1.791500ee772c2p-2, -0x1.abebc310fe7fap-3, -0x1.0c5f772b972b5p-3,
     -0x1.309535ae6d6ecp-4, -0x1.52b12aa2512d0p-5, -0x1.aa3b3fcba4778p-6, -0x1.23835b1956b04p-6,
     -0x1.6e0d59f5f7b46p-7, -0x1.c0573b5be70edp-8, -0x1.2df8257335407p-8, -0x1.b1e6dbf39734ep-9,
     -0x1.1f59e5f6421f9p-9, -0x1.70729ed7d35b1p-10, -0x1.00250df8bcdcap-10, -0x1.7868e6c53dc52p-11},
    {0x1.2b6e855f1b94ap-1, 0x1.d9789e314fdcbp-3, 0x1.b5caeafab33c0p-4, 0x1.c92295463e77ap-5,
     0x1.98b132f4514e5p-6, 0x1.5d99473de3a49p-7, 0x1.62bceee6c7f62p-8, 0x1.95120f9e08e15p-9,
     0x1.963db75e012f8p-10, 0x1.87795ab846eb6p-11, 0x1.b202587616d21p-12, 0x1.08bdfeb0652abp-12,
     0x1.1dc534bc149f7p-13, 0x1.25b18bb35e15fp-14, 0x1.54ab7cd82b2ecp-15, 0x1.ad451d22fe3e0p-16},
    {-0x1.97d5a4cb9273fp-2, -0x1.0a39d53d28938p-3, -0x1.9bce7b5f52e3dp-5, -0x1.6d07867da6ce5p-6,
     -0x1.0648c510aa314p-7, -0x1.5eb26c8f8a255p-9, -0x1.218a5129096bdp-10, -0x1.158634a2e46cep-11,
     -0x1.bebbf80a8049cp-13, -0x1.53da66ac5f42bp-14, -0x1.36a9dc36931f5p-15, -0x1.4223373307165p-16,
     -0x1.1ba7ccc274c00p-17, -0x1.d3a2b6dad6d21p-19, -0x1.c4b2b6d4f0a6bp-20, -0x1.e93e6732ee8a3p-21},
    {0x1.f10052faccdf9p-3, 0x1.11f547f60320ap-4, 0x1.6910dc648f017p-6, 0x1.13ae8990714c7p-7,
     0x1.437dd4b9a89adp-9, 0x1.56973c8631550p-11, 0x1.cffe9abb7e98cp-13, 0x1.77328c9998e9cp-14,
     0x1.e6e6e06d8446cp-16, 0x1.255e8cf20e8b6p-17, 0x1.bb035ce51a596p-19, 0x1.86dd683e86a14p-20,
     0x1.19058772c2984p-21, 0x1.73d75277d011dp-23, 0x1.2c8683520578dp-24, 0x1.169f4a638876ep-25},
    {-0x1.149d51befcbfcp-3, -0x1.05b71fea810b4p-5, -0x1.29fdfc9aee5c1p-7, -0x1.8c71481dbb795p-9,
     -0x1.80cb9878c080cp-11, -0x1.467bc1799854ep-13, -0x1.6d4c6805acd62p-15, -0x1.f4b6fbae3a801p-17,
     -0x1.070b0dd435d10p-18, -0x1.f7aaba6ad1d7fp-21, -0x1.3aa82726df440p-22, -0x1.d8ebf1e9d6babp-24,
     -0x1.15e2ef785a12cp-25, -0x1.274ef3a821aa3p-27, -0x1.8eab3e68ce27bp-29, -0x1.3d25f86334adfp-30},
    {0x1.1d467eb655d55p-4, 0x1.d50b70089851ap-7, 0x1.d26b4ba3eebefp-9, 0x1.10ca17fc825f2p-10,
     0x1.bac7300ca237bp-13, 0x1.2ffbb62ce7c5fp-15, 0x1.1acf45c88b595p-17, 0x1.49f55d033969fp-19,
     0x1.19cf9075c84b8p-21, 0x1.adfcdc94314abp-24, 0x1.bd470a2e262a4p-26, 0x1.1d4e09f4fd5abp-27,
     0x1.1245345c37e50p-29, 0x1.d47be5a6a831bp-32, 0x1.0834caeda9805p-33, 0x1.68c642ccb36d8p-35},
    {-0x1.136a73309b671p-5, -0x1.8d58435918abap-8, -0x1.5c1f76bdbc2f8p-10, -0x1.68c1e516772b5p-12,
     -0x1.ee1f7b2a0bd43p-15, -0x1.14e635f7e2529p-17, -0x1.aeec492d75541p-20, -0x1.ada4e7272eaecp-22,
     -0x1.2b6d26b0623a4p-24, -0x1.6d1b5f0f65876p-27, -0x1.39dfcab7b0b6bp-29, -0x1.574943520fe28p-31,
     -0x1.0e321ce06301bp-33, -0x1.7327da4c26c04p-36, -0x1.5de4618430423p-38, -0x1.9a24dd855ab9cp-40},
    {0x1.f5c30d927e33fp-7, 0x1.402837aa3f839p-9, 0x1.f1e2ef86526b1p-12, 0x1.cc0af603338b3p-14,
     0x1.0bf8654004b87p-16, 0x1.ee1b95d4d2130p-20, 0x1.434a7a5a5c973p-22, 0x1.1478801f1261ap-24,
     0x1.3b93fcafbf004p-27, 0x1.345e9b9697282p-30, 0x1.b8d94648a8a2ep-33, 0x1.9beaf04d419c7p-35,
     0x1.09aff84b1cd76p-37, 0x1.25b1190b64179p-40, 0x1.cef95c0b5a694p-43, 0x1.d1fa2b3306e6dp-45},
    {-0x1.b1edf6860f19ap-8, -0x1.ed1ead546fa98p-11, -0x1.5668ede2f5259p-13, -0x1.1ba79d8a76249p-15,
     -0x1.1b0447b74b14fp-18, -0x1.b04349f0b1e8bp-22, -0x1.ddf8512fe0043p-25, -0x1.5fcd4c3c9cf52p-27,
     -0x1.49faa8125dbf1p-30, -0x1.031639afe9ecfp-33, -0x1.34742e7bfb006p-36, -0x1.ecece4957fa54p-39,
     -0x1.04c58ed737d4ap-41, -0x1.d03b051f5a79dp-45, -0x1.320ad5d3ec2a1p-47, -0x1.088a399935928p-49},
    {0x1.660ec15e77152p-9, 0x1.6c6e68b5ec024p-12, 0x1.c65e0769d4e84p-15, 0x1.531594e5eb248p-17,
     0x1.2388a0099ff70p-20, 0x1.7324d763d579ep-24, 0x1.5c573fb58fc85p-27, 0x1.bac41d51855bbp-30,
     0x1.56605a4ee6bcep-33, 0x1.b11df790ac983p-37, 0x1.ae10b51303d08p-40, 0x1.2622bda232946p-42,
     0x1.fef422cb8131ap-46, 0x1.6e752430400ebp-49, 0x1.9444a81c29908p-52, 0x1.2c2d29534f306p-54},
    {-0x1.1b10b2364122bp-10, -0x1.0351f25d40d4dp-13, -0x1.239dae95e2980p-16, -0x1.89c2711bab6c1p-19,
     -0x1.25517c90d9a0ap-22, -0x1.390603587392fp-26, -0x1.f4d42315a9bccp-30, -0x1.13aafcc3eea03p-32,
     -0x1.608ebd58c3690p-36, -0x1.682f0aae3d4ecp-40, -0x1.2abae01a5adf3p-43, -0x1.5e16fc42ca2efp-46,
     -0x1.f3aa0be21f4a4p-50, -0x1.20ee4012f9745p-53, -0x1.0ac90630a0139p-56, -0x1.5466b71638a2bp-59},
    {0x1.ae46fb99b3641p-12, 0x1.6459923ef9b24p-15, 0x1.6aec2948b1fc1p-18, 0x1.bcfdec987b172p-21,
     0x1.209ceaddf7b3fp-24, 0x1.0387f80b64d34p-28, 0x1.634e63dcdff1ap-32, 0x1.53b8f5ef0c54ep-35,
     0x1.685b850cfecd0p-39, 0x1.2a084e44686fep-43, 0x1.9d85ea2b2ec83p-47, 0x1.9f94a506bd0b3p-50,
     0x1.e7bc870f2c335p-54, 0x1.c711279b85949p-58, 0x1.5fd1a2336ecbfp-61, 0x1.81c6b5695544ep-64},
    {-0x1.3b525bf15deafp-13, -0x1.d9fc96b76b144p-17, -0x1.b6c854f94220ep-20, -0x1.ea31387d041b1p-23,
     -0x1.160c1c0ff25dfp-26, -0x1.a75ed7a5477eep-31, -0x1.f1bc72253ae55p-35, -0x1.9e7592910c8b9p-38,
     -0x1.6dabe1edd8924p-42, -0x1.eac7e4e11a70ap-47, -0x1.1d34027f22011p-50, -0x1.ec05b190a7269p-54,
     -0x1.db3e61195a548p-58, -0x1.65f150047782ep-62, -0x1.cf91656b5eecfp-66, -0x1.b4edb3357382cp-69},
    {0x1.bebe2e847ea49p-15, 0x1.31c4afe8d1d92p-18, 0x1.0222280d3c527p-21, 0x1.078c4561ac050p-24,
     0x1.0687770897d43p-28, 0x1.53ed805397e6cp-33, 0x1.5858aefd874edp-37, 0x1.f4b20ca8f1747p-41,
     0x1.706bbedb443f7p-45, 0x1.921f7f3f3ec4dp-50, 0x1.8806bfdd401cep-54, 0x1.227fdb48cbab9p-57,
     0x1.ce39896fea394p-62, 0x1.1936402186af4p-66, 0x1.31266a7258ab5p-70, 0x1.ee8e78e4188a0p-74},
    {-0x1.327e30f08974cp-16, -0x1.7f4a09274004bp-20, -0x1.27fa84e8f9ec0p-23, -0x1.14f1ac31be52dp-26,
     -0x1.e5c289762284ep-31, -0x1.0ca932e4bed31p-35, -0x1.d69c8d5678881p-40, -0x1.2b7df6dd2fc0cp-43,
     -0x1.6feeca1ab52c5p-48, -0x1.47a34045a1537p-53, -0x1.0c640272d1d45p-57, -0x1.56116057e9ba3p-61,
     -0x1.c002234fc5dd8p-66, -0x1.b906b38dc0f14p-71, -0x1.9143ca15e2a67p-75, -0x1.17aa9b1571d36p-78},
    {0x1.985a817609524p-18, 0x1.d3d13af09309fp-22, 0x1.4b4dbb0ffeeeap-25, 0x1.1ccd9c688f759p-28,
     0x1.b9cdf2c68c713p-33, 0x1.a2d9b70cc6b48p-38, 0x1.3dfe3c50b529ap-42, 0x1.63078d2d9ee0dp-46,
     0x1.6d81dadc9542fp-51, 0x1.09e9bd02d01cdp-56, 0x1.6e68a2418c385p-61, 0x1.91dd5694c2041p-65,
     0x1.b24ebc60ca0d2p-70, 0x1.59b197150a994p-75, 0x1.07b54b246537ep-79, 0x1.3c23a59b70739p-83},
    {-0x1.0f74ffee49563p-19, -0x1.1c7a355476b19p-23, -0x1.7138e9d31f203p-27, -0x1.237a8859e1a80p-30,
     -0x1.9fad909dbbdf8p-35, -0x1.4e6fb4447762dp-40, -0x1.b575d3e3c00f3p-45, -0x1.aa93c02916bdfp-49,
     -0x1.8148fe97aad9ep-54, -0x1.c0bc706fdd6b4p-60, -0x1.0109376e1c79cp-64, -0x1.e1bce52f56c43p-69,
     -0x1.bfb33f0c3bfe3p-74, -0x1.1a0c8fc267ef8p-79, -0x1.647af81aa2fb5p-84, -0x1.6ceaf524a0b34p-88},
    {0x1.5592c257a9dfap-21, 0x1.49190fd367b5cp-25, 0x1.89c661f890aa4p-29, 0x1.1ef9d949217e7p-32,
     0x1.6c43573ae9873p-37, 0x1.f90dcc5bfd916p-43, 0x1.20fa6e0c53050p-47, 0x1.f0ea793dce5a6p-52,
     0x1.7b53bf360efadp-57, 0x1.683fee865e6f4p-63, 0x1.5b79336fd7649p-68, 0x1.18a6ce2624abdp-72,
     0x1.ae4208f24f07ep-78, 0x1.b8468b0c5f24ep-84, 0x1.d31a075609cd7p-89, 0x1.9d8823a6545aap-93},
};

/* top + d (c[2] + c[3] d + ...), as a pair */
KT_ALWAYS f64_pair f64_of_piece(double top, double d, const double *c, double last)
{
    const double d2 = d * d, d4 = d2 * d2;
    const double a = f64_p4(d, d2, c[3], c[4], c[5], c[6]), b = f64_p4(d, d2, c[7], c[8], c[9], c[10]);
    const double e = f64_p4(d, d2, c[11], c[12], c[13], c[14]), f = fma_f64(d4, last, f64_p4(d, d2, c[15], c[16], c[17], c[18]));
    const double rest = fma_f64(d4 * d4, fma_f64(d4, f, e), fma_f64(d4, b, a));
    f64_pair     y;
    y.hi = fma_f64(d, c[2], top);
    y.lo = fma_f64(d2, rest, fma_f64(d, c[2], top - y.hi));
    return y;
}

/* Pieces of 3/8 from 0 to 6, whose ends are rounded to a sixteenth of them. In the first erf x is x and what it lacks of that. */
KT_ALWAYS uint64_t erf_beyond_f64(double a) { return f64_beyond(a, 5.98); } /* from there on it is 1 */
KT_ALWAYS int64_t  erf_piece_f64(double a)  { return (int64_t)(f64_bits(fma_f64(fabs(a), 8.0 / 3, 0x1p48)) >> 4); }
KT_ALWAYS double   erf_by_piece_f64(double a, const double *c)
{
    const double   x = fabs(a);
    const f64_pair y = f64_of_piece(select_f64(c[0] == 0, x, c[1]), x - c[0], c, 0);
    return copysign(y.hi + y.lo, a);
}
NEAR_BY_PIECE_F64(erf, 19)
KT_ALWAYS double erf_far_f64(double a) { return select_f64(a != a, a, copysign(1.0, a)); }
KT_ALWAYS double erf_f64(double a)     { return erf_beyond_f64(a) < F64_SIGN ? erf_near_f64(a) : erf_far_f64(a); }

/* erfc x = e^(-x^2) g(x) of x >= 0, where g has pieces of a quarter of an octave of x + 2 */
KT_ALWAYS uint64_t erfc_beyond_f64(double a) { return f64_beyond(a, 27.3); }
KT_ALWAYS int64_t  erfc_piece_f64(double a)  { return (int64_t)(f64_bits(fabs(a) + 2) >> 50); }
KT_ALWAYS double   erfc_by_piece_f64(double a, const double *c)
{
    double         k;
    const double   x = fabs(a);
    const f64_pair z = f64_product(x, x), m = f64_exp_parts(-z.hi, -z.lo, F64_MAGIC_TWO, &k);
    const f64_pair one = f64_sum(1, m.hi), bell = {one.hi, one.lo + m.lo};
    const f64_pair v = f64_pair_product(bell, f64_of_piece(c[1], x - c[0], c, c[19]));
    const double   far = f64_scaled(v.hi + v.lo, k);
    return select_f64(a < 0, 2 - far, far);
}
NEAR_BY_PIECE_F64(erfc, 20)
KT_ALWAYS double erfc_far_f64(double a) { return select_f64(a != a, a, select_f64(a < 0, 2.0, 0.0)); }
KT_ALWAYS double erfc_f64(double a)     { return erfc_beyond_f64(a) < F64_SIGN ? erfc_near_f64(a) : erfc_far_f64(a); }

#endif
