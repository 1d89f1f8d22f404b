sed -i 's/1000/1852/' /app/knots.sh
