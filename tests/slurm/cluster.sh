# A Slurm cluster of one machine, on its loopback only, with a configuration
# that is thrown away. Sourced: cluster_start, cluster_stop.
#
# Needs root: Slurm's daemons start jobs as their users. Nothing of the system's
# own Slurm or MUNGE is touched.

# Says what is missing, or nothing.
cluster_missing()
{
	for program in munged slurmctld slurmd sbatch squeue scontrol; do
		PATH=$PATH:/usr/sbin command -v $program >/dev/null ||
			{ echo "no $program"; return; }
	done
	[ "$(id -u)" = 0 ] || echo "not root"
}

# cluster_start FOLDER
cluster_start()
{
	cluster=$1
	PATH=$PATH:/usr/sbin
	host=$(hostname -s)
	port=$((20000 + $$ % 20000))
	mkdir -p "$cluster/state" "$cluster/spool" "$cluster/munge"
	chmod 700 "$cluster/munge"
	chmod 755 "$cluster"
	dd if=/dev/urandom of="$cluster/munge/key" bs=1024 count=1 2>/dev/null
	chmod 400 "$cluster/munge/key"
	cat >"$cluster/slurm.conf" <<-END
	ClusterName=test
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$port
	SlurmdPort=$((port + 1))
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=$cluster/munge/socket
	CredType=cred/munge
	CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
	StateSaveLocation=$cluster/state
	SlurmdSpoolDir=$cluster/spool
	SlurmctldPidFile=$cluster/slurmctld.pid
	SlurmdPidFile=$cluster/slurmd.pid
	SlurmctldLogFile=$cluster/slurmctld.log
	SlurmdLogFile=$cluster/slurmd.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerParameters=sched_interval=1,batch_sched_delay=1
	MinJobAge=2
	KillWait=2
	ReturnToService=2
	MpiDefault=none
	NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
	PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	END
	export SLURM_CONF="$cluster/slurm.conf"
	munged --force --key-file="$cluster/munge/key" \
		--socket="$cluster/munge/socket" \
		--pid-file="$cluster/munge/pid" \
		--log-file="$cluster/munge/log" \
		--seed-file="$cluster/munge/seed" \
		>"$cluster/munged.out" 2>&1 || return 1
	slurmctld >"$cluster/slurmctld.out" 2>&1 || return 1
	slurmd >"$cluster/slurmd.out" 2>&1 || return 1
	for i in $(seq 100); do
		! sinfo -h -o %t 2>/dev/null | grep -q idle || return 0
		sleep 0.2
	done
	return 1
}

cluster_log()
{
	for f in munged.out munge/log slurmctld.out slurmctld.log slurmd.out \
		slurmd.log; do
		[ ! -s "$cluster/$f" ] || { echo "--- $f"; tail -n 20 "$cluster/$f"; }
	done
}

cluster_stop()
{
	[ -n "${cluster:-}" ] || return 0
	scancel --state=RUNNING --state=PENDING --user=root 2>/dev/null || true
	for f in slurmd.pid slurmctld.pid munge/pid; do
		[ ! -s "$cluster/$f" ] || kill "$(cat "$cluster/$f")" 2>/dev/null ||
			true
	done
	for f in slurmd.pid slurmctld.pid munge/pid; do
		[ ! -s "$cluster/$f" ] || cluster_gone "$(cat "$cluster/$f")"
	done
}

# Until the process has ended, 5 s at most; one that nobody waits for is a
# zombie.
cluster_gone()
{
	for i in $(seq 50); do
		grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null || return 0
		sleep 0.1
	done
}
