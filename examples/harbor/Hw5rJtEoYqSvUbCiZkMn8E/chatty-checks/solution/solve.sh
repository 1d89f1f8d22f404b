#!/bin/bash
cat > /app/knots <<'SH'
#!/bin/bash
awk -v knots="$1" 'BEGIN { printf "%.1f\n", knots * 1.852 }'
SH
chmod +x /app/knots
