# A net that repeats a layer until nothing changes, from Perl: any number of rows in, floats and an integer out.
#
#     perl ../perl/steps.pl
use v5.36;
use FFI::Platypus 2.00;
use FFI::Platypus::Buffer qw(scalar_to_pointer);
use List::Util qw(max);

my $steps = FFI::Platypus->new(api => 2, lib => './libsteps.so');
$steps->attach(steps_create  => ['opaque*', 'opaque'] => 'sint32');
$steps->attach(steps_sizes   => ['sint64[]', 'sint64[]'] => 'sint32');
$steps->attach(steps_run     => ['opaque', 'opaque[]', 'sint64[]', 'opaque[]', 'sint64[]'] => 'sint32');
$steps->attach(steps_destroy => ['opaque'] => 'void');
$steps->attach(steps_error   => ['sint32'] => 'string');

sub slurp ($path) { open my $file, '<:raw', $path or die "$path: $!\n"; local $/; <$file> }
sub check ($code) { die 'steps: ', steps_error($code), "\n" if $code }

my $data = slurp('steps.input.f32');    # raw floats: a string of bytes is an array to C
my @sizes = (int(length($data) / 4 / 16), 16);
my @room = (0, 0);
check steps_sizes(\@sizes, \@room);     # `state` is $room[0] x $room[1]; `steps` has no axes
my ($state, $count) = ("\0" x (4 * $room[0] * $room[1]), "\0" x 8);
check steps_create(\my $model, undef);
check steps_run($model, [scalar_to_pointer $data], \@sizes, [map { scalar_to_pointer $_ } $state, $count], \@room);
steps_destroy($model);

my @state = unpack 'f<*', $state;
my @expected = unpack 'f<*', slurp('steps.output.f32');
my @differences = map { abs($state[$_] - $expected[$_]) } 0 .. $#expected;
printf "%d steps, largest difference %.1e\n", unpack('q<', $count), max(@differences);
my $wrong = grep { !($_ <= 1e-5) } @differences;    # NaN is wrong too
exit($wrong > 0 || @state != @expected || $count ne slurp('steps.count.i64'));
