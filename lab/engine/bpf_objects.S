/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiled BPF objects, inside the program: no skeleton, so no bpftool at build time (lab/engine/bpf_load.c). The
 * Makefile says where they are.
 */
	.section .rodata
	.balign 16
	.global bpf_switch_start, bpf_switch_end, bpf_host_start, bpf_host_end
bpf_switch_start:
	.incbin BPF_SWITCH
bpf_switch_end:
	.balign 16
bpf_host_start:
	.incbin BPF_HOST
bpf_host_end:
	.section .note.GNU-stack, "", %progbits
